// Reads cases with the generated JavaScript: one JSON line in, its field tree as one JSON line out.
// NODE_PATH names the folders of the readers and of the package kaitai-struct.
'use strict';
const readline = require('readline');
const KaitaiStream = require('kaitai-struct/KaitaiStream');
require('./exact.cjs');

function tree(value) {
  if (typeof value === 'number') return number(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`;
  if (Array.isArray(value)) return `[${value.map(tree).join()}]`;
  const members = [];
  for (const [name, get] of fields(value)) {
    let found = '"!"';
    try {
      const member = get();
      if (member === undefined || member === null) continue;
      found = tree(member);
    } catch (error) {}
    members.push(`"${name}":${found}`);
  }
  return `{${members.join()}}`;
}

function* fields(parsed) {
  for (const name of Object.keys(parsed)) {
    if (!name.startsWith('_')) yield [name, () => parsed[name]];
  }
  const described = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(parsed));
  for (const [name, property] of Object.entries(described)) {
    if (property.get) yield [name, () => parsed[name]];
  }
}

function number(value) {
  if (!Number.isFinite(value)) return `"${value}"`;
  if (Object.is(value, -0)) return '"-0.0"';
  // An integer that may have been rounded stands as a floating point number.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

function read(request) {
  const [spec, ...names] = request.type;
  let type = require(`./${spec}.js`)[spec];
  for (const name of names) type = type[name];
  const data = Buffer.from(request.data, 'base64');
  const stream = new KaitaiStream(new Uint8Array(data).buffer);
  return tree(new type(stream, null, null, ...request.arguments));
}

readline.createInterface({input: process.stdin}).on('line', (line) => {
  let answer = 'null';
  try {
    answer = read(JSON.parse(line));
  } catch (error) {}
  process.stdout.write(answer + '\n');
});
