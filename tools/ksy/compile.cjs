// Runs kaitai-struct-compiler over specs. stdin: {"compiler": path, "languages": [..], "compile":
// [name, ..], "specs": {name: parsed YAML}}. stdout: {language: {name: {"files": {..}} or {"error": ".."}}}.
// YAML is parsed by the caller: the compiler's JavaScript build has no YAML parser.
'use strict';
const fs = require('fs');
const Module = require('module');

// compile() has its options built in. Those of C++11 are put in their place in a copy of the
// compiler's source in memory, as `--cpp-standard 11` of its command line sets them.
const OPTIONS = 'new $c_Lio_kaitai_struct_CppRuntimeConfig($m_sci_Nil$(), false, false, false, ' +
  '$m_Lio_kaitai_struct_CppRuntimeConfig$RawPointers$())';
const CPP11 = 'new $c_Lio_kaitai_struct_CppRuntimeConfig($m_sci_Nil$(), true, true, true, ' +
  '$m_Lio_kaitai_struct_CppRuntimeConfig$UniqueAndRawPointers$())';

function load(path, cpp11) {
  if (!cpp11) return require(path);
  const source = fs.readFileSync(path, 'utf8');
  if (!source.includes(OPTIONS)) throw new Error('the options for C++ are not where they were in 0.11.0');
  const module = new Module(path + '#cpp11');
  module._compile(source.replace(OPTIONS, CPP11), path);
  return module.exports;
}

(async () => {
  const request = JSON.parse(fs.readFileSync(0, 'utf8'));
  const answer = {};
  for (const language of request.languages) {
    const compiler = load(request.compiler, language === 'cpp_stl_11');
    answer[language] = {};
    for (const name of request.compile) {
      const importer = {importYaml: async (imported) => {
        const spec = request.specs[imported.split('/').pop()];
        if (spec === undefined) throw new Error('no spec ' + imported);
        return spec;
      }};
      try {
        const files = await compiler.compile(language.replace(/_11$/, ''), request.specs[name], importer, false);
        answer[language][name] = {files};
      } catch (e) {
        answer[language][name] = {error: String(e && e.message || e)};
      }
    }
  }
  process.stdout.write(JSON.stringify(answer));
})();
