-- Reads cases with the generated Lua: two lines in, a type with its arguments and the bytes as
-- hexadecimal text; its field tree out, as one JSON line. LUA_PATH names the folders.
local stringstream = require("string_stream")
require("kaitaistruct")

-- The runtime reads a negative length as 0.
local read_bytes = KaitaiStream.read_bytes
function KaitaiStream:read_bytes(n)
  assert(n >= 0)
  return read_bytes(self, n)
end

local tree

local function members(parsed)
  local names, found = {}, {} -- names first, because instances are stored when they are read
  for name in pairs(parsed) do
    if name:sub(1, 1) ~= "_" then names[#names + 1] = name end
  end
  for name in pairs(getmetatable(parsed).property) do names[#names + 1] = name end
  for _, name in ipairs(names) do
    local ok, text = pcall(function()
      local value = parsed[name]
      return value ~= nil and tree(value) or nil
    end)
    if not ok or text then
      found[#found + 1] = string.format('"%s":%s', name, ok and text or '"!"')
    end
  end
  return "{" .. table.concat(found, ",") .. "}"
end

local function number(value)
  if value ~= value then return '"NaN"' end
  if value == math.huge or value == -math.huge then
    return value > 0 and '"Infinity"' or '"-Infinity"'
  end
  return value == 0 and 1 / value < 0 and '"-0.0"' or string.format("%.17g", value)
end

function tree(value)
  if math.type(value) == "float" then return number(value) end
  if type(value) == "string" then
    return '"' .. value:gsub(".", function(c) return string.format("%02x", c:byte()) end) .. '"'
  end
  if type(value) ~= "table" then return tostring(value) end
  if getmetatable(value) then return members(value) end
  if value.label then return tostring(value.value) end -- of an enum
  local found = {}
  for i, element in ipairs(value) do found[i] = tree(element) end
  return "[" .. table.concat(found, ",") .. "]"
end

local function camel(name)
  return (name:gsub("_?(%w)(%w*)", function(first, rest) return first:upper() .. rest end))
end

local function read(line, hex)
  local words = {}
  for word in line:gmatch("%S+") do words[#words + 1] = word end
  local class
  for name in table.remove(words, 1):gmatch("[%w_]+") do
    if class then
      class = class[camel(name)]
    else
      require(name)
      class = _G[camel(name)]
    end
  end
  for i, word in ipairs(words) do words[i] = math.tointeger(tonumber(word)) end
  local data = hex:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)
  words[#words + 1] = KaitaiStream(stringstream(data))
  return tree(class(table.unpack(words)))
end

for line in io.lines() do
  local ok, answer = pcall(read, line, io.read())
  print(ok and answer or "null")
end
