//! Generates one HTML page with the pictures of named values.

use crate::language::Value;
use crate::picture::{View, panels, svg};
use std::fmt::Write;

/// A page with the name, the notation and the picture of each value. The page does not refer to other files. If a
/// value has no picture, for example a layout of millions of elements, the page shows its notation and the reason.
pub fn page(title: &str, values: &[(String, Value)]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\n\
         body {{ font-family: sans-serif; margin: 2em; }}\n\
         pre {{ background: #f4f4f4; padding: 0.6em; overflow-x: auto; }}\n\
         .picture {{ overflow-x: auto; }}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escape(title)
    );
    for (name, value) in values {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<section>\n<h2>{}</h2>\n<pre>{}</pre>", escape(name), escape(&value.to_string()));
        let _ = match panels(value, &View::Default) {
            Ok(panels) => write!(out, "<div class=\"picture\">\n{}</div>\n", svg(&panels)),
            Err(reason) => writeln!(out, "<p>not drawn: {}</p>", escape(&reason)),
        };
        out.push_str("</section>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::language::Session;

    #[test]
    fn each_layout_has_its_section_and_the_large_ones_their_reason() {
        let value = |code: &str| Session::default().run(code).unwrap().unwrap().1;
        let values = [("tile <a>".to_string(), value("(4,8):(8,1)")), ("tensor".into(), value("(4096,4096):(4096,1)"))];
        let html = page("layouts of k", &values);
        assert!(html.contains("<h2>tile &lt;a&gt;</h2>\n<pre>(4,8):(8,1)</pre>"));
        assert_eq!(html.matches("<svg").count(), 1);
        assert!(html.contains("not drawn: (4096,4096):(4096,1) has 16777216 cells"));
    }
}
