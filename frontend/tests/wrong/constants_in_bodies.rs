mod m {
    use cubecl::prelude::*;
    #[cube]
    fn a(x: u32) -> u32 {
        const Z: u32 = 1 / 0; //~
        x + Z
    }
    #[cube]
    fn b(x: u32) -> u32 {
        const TILE: u32 = 4;
        const Z: u32 = u32::MAX - 1 + TILE; //~
        x + Z
    }
    #[cube(launch)]
    fn c(out: &mut Array<i32>) {
        if out.len() > 1 {
            const Z: i32 = -(1 << 3) % (2 - 2); //~
            out[0] = Z;
        }
    }
    struct S;
    #[cube]
    impl S {
        fn d(x: u32) -> u32 {
            const Z: u32 = 2 - 3; //~
            const Y: u32 = Z + 1;
            x + Y
        }
    }
    #[cube]
    trait T {
        fn e(x: u32) -> u32 {
            const Z: u32 = 1 << 32; //~
            x + Z
        }
    }
    #[cube]
    fn f(x: u32) -> u32 {
        const Z: u8 = 200 + 56; //~
        x + comptime!(Z as u32)
    }
    #[cube]
    fn h(x: u32) -> u32 {
        const Z: u32 = 7 % 0; //~
        const Y: u32 = missing + 1; //~
        x + Z + Y
    }
    // Correct code is accepted.
    #[cube]
    fn i(x: u32) -> u32 {
        const N: i32 = -2147483648;
        const M: u32 = !0 >> 4 << 4;
        const K: i64 = (1 << 40) - 1;
        const B: u32 = u32::BITS;
        x + M + B + comptime!((N as i64 + K) as u32)
    }
    // A constant is visible in its block, also before its line.
    #[cube]
    fn j(x: u32) -> u32 {
        const Z: u32 = 2;
        let mut y = x + Z;
        if x > 1 {
            const Y: u32 = Z - 3;
            const Z: u32 = 5;
            #[cfg(any())]
            const NONE: u32 = 1 / 0;
            y += Y + Z;
        }
        y
    }
}

fn main() {}
