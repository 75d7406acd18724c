<?php
// Reads cases with the generated PHP: two lines in, a type with its arguments and the bytes as
// hexadecimal text; its field tree out, as one JSON line.
namespace Kaitai\Struct {
    // What the runtime calls. PHP's own allocates as many bytes as a length states, and may run out.
    function fread($stream, int $length): string {
        return \fread($stream, min($length, max(1, fstat($stream)['size'])));
    }
}

namespace {
spl_autoload_register(function (string $class): void {
    require getenv('KAITAI_PHP_RUNTIME') . '/lib/' . strtr($class, '\\', '/') . '.php';
});
foreach (glob(__DIR__ . '/[A-Z]*.php') as $reader) {
    require $reader;
}

function tree($value): string {
    if (is_bool($value)) return $value ? 'true' : 'false';
    if (is_float($value)) {
        if (is_nan($value)) return '"NaN"';
        if (is_infinite($value)) return $value > 0 ? '"Infinity"' : '"-Infinity"';
        return $value == 0.0 && fdiv(1, $value) < 0 ? '"-0.0"' : json_encode($value, JSON_PRESERVE_ZERO_FRACTION);
    }
    if (is_int($value)) return (string) $value;
    if (is_string($value)) return '"' . bin2hex($value) . '"';
    if (is_array($value)) return '[' . implode(',', array_map('tree', $value)) . ']';
    $members = [];
    foreach (array_diff(get_class_methods($value), get_class_methods('Kaitai\\Struct\\Struct')) as $name) {
        if ($name[0] === '_') continue;
        try {
            $found = $value->$name();
            if ($found === null) continue;
            $found = tree($found);
        } catch (Throwable $error) {
            $found = '"!"';
        }
        $members[] = "\"$name\":$found";
    }
    return '{' . implode(',', $members) . '}';
}

function read(string $line, string $hex): string {
    $arguments = explode(' ', $line);
    $names = explode('::', array_shift($arguments));
    $class = implode('\\', array_map(fn($name) => str_replace('_', '', ucwords($name, '_')), $names));
    $stream = new Kaitai\Struct\Stream(hex2bin($hex));
    return tree(new $class(...array_map('intval', $arguments), ...[$stream]));
}

while (($line = fgets(STDIN)) !== false) {
    try {
        $answer = read(trim($line), trim(fgets(STDIN)));
    } catch (Throwable $error) {
        $answer = 'null';
    }
    echo $answer, "\n";
}
}
