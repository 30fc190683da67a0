import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

type Schema = object
type Codegen = { TypeScriptParser: new () => { parseFile: (path: string) => Schema } }
type Generator = { generate: (library: string, schema: Schema, packageName: string) => Map<string, string> }

/** Writes the Java class that React Native's own generator makes from the specification of the native module, and gives its path. */
export function writeReactSpec(root: string, folder: string): string[] {
  const require = createRequire(join(root, 'sdks/react-native/package.json'))
  const { TypeScriptParser } = require('@react-native/codegen/lib/parsers/typescript/parser') as Codegen
  const { generate } = require('@react-native/codegen/lib/generators/modules/GenerateModuleJavaSpec') as Generator
  const schema = new TypeScriptParser().parseFile(join(root, 'sdks/react-native/src/NativeHerald.ts'))
  return [...generate('HeraldSpec', schema, 'dev.herald.reactnative')].map(([file, text]) => {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  })
}
