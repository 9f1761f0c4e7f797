//! Resolves the symbols of an object.
use super::layout::Layout;
use super::sound::{invalid, unreadable};
use cube_runtime::RuntimeError;
use object::SymbolIndex;
use object::elf::{self, FileHeader64, Sym64};
use object::endian::LittleEndian;
use object::read::elf::{SectionTable, Sym, SymbolTable};

type Elf = FileHeader64<LittleEndian>;

/// The symbol table of an object without undefined symbols.
pub(super) struct Symbols<'d> {
    table: SymbolTable<'d, Elf>,
}

impl<'d> Symbols<'d> {
    /// Reads the symbol table.
    ///
    /// # Errors
    /// The object has undefined symbols. The error lists all undefined symbols.
    pub fn new(data: &'d [u8], sections: &SectionTable<'d, Elf>) -> Result<Self, RuntimeError> {
        let table = sections.symbols(LittleEndian, data, elf::SHT_SYMTAB).map_err(unreadable)?;
        let symbols = Symbols { table };
        let undefined: Vec<_> = symbols
            .table
            .enumerate()
            .filter(|(index, symbol)| index.0 != 0 && symbol.st_shndx(LittleEndian) == elf::SHN_UNDEF)
            .map(|(_, symbol)| symbols.name(symbol))
            // The assembler adds this symbol if code loads an address from the global offset table. No relocation
            // refers to the symbol.
            .filter(|name| name != "_GLOBAL_OFFSET_TABLE_")
            .collect();
        if undefined.is_empty() {
            return Ok(symbols);
        }
        Err(invalid(format!("it calls or reads {}, which it does not define", undefined.join(", "))))
    }

    /// The offset of a symbol in the image.
    pub fn offset(&self, index: SymbolIndex, layout: &Layout) -> Result<usize, RuntimeError> {
        let symbol = self.table.symbol(index).map_err(unreadable)?;
        self.place(index, symbol, layout).map(|(offset, _)| offset)
    }

    /// The offset of the entry function in the image.
    pub fn entry(&self, name: &str, layout: &Layout) -> Result<usize, RuntimeError> {
        let named = |symbol: &Sym64<LittleEndian>| {
            !symbol.is_local() && self.table.symbol_name(LittleEndian, symbol).is_ok_and(|n| n == name.as_bytes())
        };
        let found = self.table.enumerate().find(|(_, symbol)| named(symbol));
        let (index, symbol) = found.ok_or_else(|| invalid(format!("it defines no global function '{name}'")))?;
        let (offset, executable) = self.place(index, symbol, layout)?;
        if symbol.st_type() != elf::STT_FUNC || !executable {
            return Err(invalid(format!("its symbol '{name}' is not a function")));
        }
        Ok(offset)
    }

    fn place(
        &self,
        index: SymbolIndex,
        symbol: &Sym64<LittleEndian>,
        layout: &Layout,
    ) -> Result<(usize, bool), RuntimeError> {
        let section = self.table.symbol_section(LittleEndian, symbol, index).map_err(unreadable)?;
        let placed = section.and_then(|section| layout.get(section.0));
        let placed =
            placed.ok_or_else(|| invalid(format!("symbol '{}' is in no loaded section", self.name(symbol))))?;
        if symbol.st_type() == elf::STT_GNU_IFUNC {
            return Err(invalid(format!("symbol '{}' is chosen at load time (ifunc)", self.name(symbol))));
        }
        let value = symbol.st_value(LittleEndian);
        // The end of a section is a valid location. The relocation checks the content there.
        if value > placed.data.len() as u64 {
            return Err(invalid(format!("symbol '{}' is outside its section", self.name(symbol))));
        }
        let inside = value < placed.data.len() as u64;
        Ok((placed.offset + value as usize, placed.executable && inside))
    }

    fn name(&self, symbol: &Sym64<LittleEndian>) -> String {
        match self.table.symbol_name(LittleEndian, symbol) {
            Ok(b"") | Err(_) => "(no name)".into(),
            Ok(name) => name.escape_ascii().to_string(),
        }
    }
}
