// Reads cases with the generated Rust: a line "type arguments.." and a line of hexadecimal bytes in,
// the field tree as one JSON line out. types.rs has the readers and what they consist of.
#![allow(warnings)]

use std::io::BufRead;
use std::ops::Deref;
use std::panic::{catch_unwind, AssertUnwindSafe};

use kaitai::{BytesReader, KResult, KStruct, OptRc, SharedType};

include!("types.rs");

trait Tree: Sized {
    fn tree(&self, out: &mut String);

    fn list(elements: &[Self], out: &mut String) {
        for (i, element) in elements.iter().enumerate() {
            out.push(if i == 0 { '[' } else { ',' });
            element.tree(out);
        }
        out.push_str(if elements.is_empty() { "[]" } else { "]" });
    }
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Tree for $type {
            fn tree(&self, out: &mut String) {
                out.push_str(&self.to_string());
            }
        })*
    };
}
plain!(bool, i8, i16, i32, i64, u16, u32, u64);

impl Tree for u8 {
    fn tree(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }

    fn list(elements: &[u8], out: &mut String) {
        let digits: String = elements.iter().map(|byte| format!("{byte:02x}")).collect();
        out.push_str(&format!("\"{digits}\""));
    }
}

impl Tree for f64 {
    fn tree(&self, out: &mut String) {
        out.push_str(&match *self {
            value if value.is_nan() => "\"NaN\"".to_string(),
            value if value.is_infinite() => format!("\"{}Infinity\"", if value < 0.0 { "-" } else { "" }),
            value if value == 0.0 && value.is_sign_negative() => "\"-0.0\"".to_string(),
            value => format!("{value:e}"),
        });
    }
}

impl Tree for f32 {
    fn tree(&self, out: &mut String) {
        f64::from(*self).tree(out);
    }
}

impl<T: Tree> Tree for Vec<T> {
    fn tree(&self, out: &mut String) {
        T::list(self, out);
    }
}

impl<T: Tree> Tree for OptRc<T> {
    fn tree(&self, out: &mut String) {
        match self.get_value() {
            Some(parsed) => parsed.tree(out),
            None => out.push_str("null"),
        }
    }
}

fn field<T: Tree>(out: &mut String, name: &str, value: impl Deref<Target = T>) {
    out.push_str(&format!("{}\"{name}\":", if out.ends_with('{') { "" } else { "," }));
    value.tree(out);
}

fn instance<T: Tree, R: Deref<Target = T>>(out: &mut String, name: &str, get: impl FnOnce() -> KResult<R>) {
    let start = out.len();
    let found = catch_unwind(AssertUnwindSafe(|| get().map(|value| field(out, name, value))));
    if !matches!(found, Ok(Ok(()))) {
        out.truncate(start);
        field(out, name, &Failed);
    }
}

struct Failed;

impl Tree for Failed {
    fn tree(&self, out: &mut String) {
        out.push_str("\"!\"");
    }
}

fn answer(asked: &str, digits: &str) -> KResult<String> {
    let mut words = asked.split(' ');
    let name = words.next().unwrap();
    let given: Vec<i64> = words.map(|word| word.parse().unwrap()).collect();
    let data: Vec<u8> = (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect();
    read(name, &given, &BytesReader::from(data))
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut lines = std::io::stdin().lock().lines().map(Result::unwrap);
    while let (Some(asked), Some(digits)) = (lines.next(), lines.next()) {
        let found = catch_unwind(|| answer(&asked, &digits));
        println!("{}", found.ok().and_then(Result::ok).unwrap_or("null".to_string()));
    }
}
