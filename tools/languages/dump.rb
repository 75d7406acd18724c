# Reads cases with the generated Ruby: two lines in, a type with its arguments and the bytes as
# hexadecimal text; its field tree out, as one JSON line. RUBYLIB names the runtime.
Dir[File.join(__dir__, '*.rb')].each { |reader| require reader unless reader == __FILE__ }

# The number of each member of an enum, which the readers return as a symbol.
NUMBERS = ObjectSpace.each_object(Class).select { |type| type < Kaitai::Struct::Struct }
  .flat_map { |type| type.constants(false).grep(/\AI__/).map { |name| type.const_get(name) } }
  .reduce({}, :merge)

def tree(value)
  case value
  when Symbol then NUMBERS.fetch(value).to_s
  when Float then number(value)
  when String then %("#{value.unpack1('H*')}")
  when Array then "[#{value.map { |element| tree(element) }.join(',')}]"
  when Kaitai::Struct::Struct then members(value)
  else value.to_s
  end
end

def number(value)
  return '"NaN"' if value.nan?
  return value.positive? ? '"Infinity"' : '"-Infinity"' if value.infinite?
  value.zero? && 1 / value < 0 ? '"-0.0"' : value.to_s
end

def members(parsed)
  names = parsed.class.public_instance_methods(false).reject { |name| name.start_with?('_') }
  found = names.filter_map do |name|
    value = parsed.public_send(name)
    "\"#{name}\":#{tree(value)}" unless value.nil?
  rescue StandardError
    "\"#{name}\":\"!\""
  end
  "{#{found.join(',')}}"
end

def read(line, hex)
  type, *arguments = line.split
  names = type.split('::').map { |name| name.split('_').map(&:capitalize).join }
  stream = Kaitai::Struct::Stream.new([hex].pack('H*'))
  tree(Object.const_get(names.join('::')).new(stream, nil, nil, *arguments.map(&:to_i)))
end

while (line = gets)
  begin
    answer = read(line, gets.strip)
  rescue StandardError
    answer = 'null'
  end
  puts answer
end
