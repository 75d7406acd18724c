// Runs kaitai-struct-compiler over specs. stdin: {"compiler": path, "languages": [..], "compile":
// [name, ..], "specs": {name: parsed YAML}}. stdout: {language: {name: {"files": {..}} or {"error": ".."}}}.
// YAML is parsed by the caller: the compiler's JavaScript build has no YAML parser.
'use strict';
const fs = require('fs');
const Module = require('module');

// compile() has its options built in. Those of other options are put in their place in a copy of the
// compiler's source in memory: C++11, as `--cpp-standard 11` of its command line sets them.
const CPP = 'new $c_Lio_kaitai_struct_CppRuntimeConfig($m_sci_Nil$(), ';
const POINTERS = '$m_Lio_kaitai_struct_CppRuntimeConfig$';
const OPTIONS = {
  cpp_stl_11: ['cpp_stl', `${CPP}false, false, false, ${POINTERS}RawPointers$())`,
    `${CPP}true, true, true, ${POINTERS}UniqueAndRawPointers$())`],
};

function load(path, language) {
  if (!OPTIONS[language]) return [language, require(path)];
  const [name, before, after] = OPTIONS[language];
  const source = fs.readFileSync(path, 'utf8');
  if (!source.includes(before)) throw new Error(`the options for ${language} are not where they were in 0.11.0`);
  const module = new Module(`${path}#${language}`);
  module._compile(source.replace(before, after), path);
  return [name, module.exports];
}

console.log = console.error; // the compiler prints some errors, and stdout is the answer

(async () => {
  const request = JSON.parse(fs.readFileSync(0, 'utf8'));
  const answer = {};
  for (const language of request.languages) {
    const [target, compiler] = load(request.compiler, language);
    answer[language] = {};
    for (const name of request.compile) {
      const importer = {importYaml: async (imported) => {
        const spec = request.specs[imported.split('/').pop()];
        if (spec === undefined) throw new Error('no spec ' + imported);
        return spec;
      }};
      try {
        const files = await compiler.compile(target, request.specs[name], importer, false);
        answer[language][name] = {files};
      } catch (e) {
        answer[language][name] = {error: String(e && e.message || e)};
      }
    }
  }
  process.stdout.write(JSON.stringify(answer));
})();
