import { parseArgs, type ParseArgsConfig } from 'node:util'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

type Defaults = Record<string, boolean | number | string>
type Options<Given extends Defaults> = {
  [Name in keyof Given]: Given[Name] extends boolean ? boolean : Given[Name] extends number ? number : string
}

/** Reads the options of a bench from its command line, each of the type of its default. With `--help` prints `help` and ends the process. */
export function readOptions<Given extends Defaults>(help: string, defaults: Given): Options<Given> {
  const known: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean' } }
  for (const [name, value] of Object.entries(defaults)) known[name] = { type: typeof value === 'boolean' ? 'boolean' : 'string' }
  const { values } = parseArgs({ options: known })
  if (values['help'] === true) {
    say(help)
    process.exit(0)
  }
  const read = Object.entries(defaults).map(([name, byDefault]) => {
    const given = values[name] ?? byDefault
    return [name, typeof byDefault === 'number' ? Number(given) : given]
  })
  return Object.fromEntries(read) as Options<Given>
}
