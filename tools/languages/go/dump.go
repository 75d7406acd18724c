// Reads cases with the generated Go: one JSON line in, its field tree as one JSON line out.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"

	"github.com/kaitai-io/kaitai_struct_go_runtime/kaitai"
)

type request struct {
	Type      []string
	Data      []byte
	Names     []string
	Arguments []int64
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		fmt.Fprintln(out, answer(line))
	}
}

func answer(line []byte) (text string) {
	defer func() {
		if recover() != nil {
			text = "null"
		}
	}()
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return "null"
	}
	parsed := reflect.New(types[strings.Join(asked.Type, "_")])
	for i, name := range asked.Names {
		field := parsed.Elem().FieldByName(name)
		if field.CanUint() {
			field.SetUint(uint64(asked.Arguments[i]))
		} else if field.CanInt() {
			field.SetInt(asked.Arguments[i])
		} else {
			field.SetBool(asked.Arguments[i] != 0)
		}
	}
	read := parsed.MethodByName("Read")
	root := reflect.Zero(read.Type().In(2))
	if root.Type() == parsed.Type() {
		root = parsed
	}
	parent := reflect.Zero(read.Type().In(1))
	stream := reflect.ValueOf(kaitai.NewStream(bytes.NewReader(asked.Data)))
	if !read.Call([]reflect.Value{stream, parent, root})[0].IsNil() {
		return "null"
	}
	return tree(parsed)
}

func tree(value reflect.Value) string {
	switch value.Kind() {
	case reflect.Interface: // of a switch on types
		return tree(value.Elem())
	case reflect.Pointer:
		var members []string
		for i := 0; i < value.Elem().NumField(); i++ {
			if field := value.Elem().Type().Field(i); field.IsExported() {
				members = append(members, member(field.Name, value.Elem().Field(i)))
			}
		}
		for i := 0; i < value.NumMethod(); i++ {
			kind := value.Method(i).Type()
			if kind.NumIn() == 0 && kind.NumOut() == 2 {
				members = append(members, instance(value.Type().Method(i).Name, value.Method(i)))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return `"` + hex.EncodeToString(value.Bytes()) + `"`
		}
		elements := make([]string, value.Len())
		for i := range elements {
			elements[i] = tree(value.Index(i))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case reflect.Float32, reflect.Float64:
		return number(value.Float())
	default:
		return fmt.Sprint(value.Interface())
	}
}

func instance(name string, get reflect.Value) (text string) {
	defer func() {
		if recover() != nil {
			text = `"` + name + `":"!"`
		}
	}()
	found := get.Call(nil)
	if !found[1].IsNil() {
		return `"` + name + `":"!"`
	}
	return member(name, found[0])
}

func member(name string, value reflect.Value) string {
	if (value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface) && value.IsNil() {
		return `"` + name + `":null`
	}
	return `"` + name + `":` + tree(value)
}

func number(value float64) string {
	switch {
	case math.IsNaN(value):
		return `"NaN"`
	case math.IsInf(value, 0):
		return fmt.Sprintf(`"%sInfinity"`, map[bool]string{true: "-"}[value < 0])
	case value == 0 && math.Signbit(value):
		return `"-0.0"`
	default:
		return fmt.Sprint(value)
	}
}
