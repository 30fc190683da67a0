export type Tier = 'quick' | 'rest' | 'all'

/** What tools/src/test.ts was asked to run. `forVitest` are arguments for vitest, which then runs without any check. */
export type TestOptions = { tier: Tier; base?: string; shard?: { number: number; of: number }; forVitest: string[] }

/** Reads the command line of tools/src/test.ts. */
export function readTestOptions(args: readonly string[]): TestOptions {
  const options: TestOptions = { tier: 'quick', forVitest: [] }
  for (const argument of args) {
    const base = /^--affected=(.+)$/.exec(argument)?.[1]
    const [, number, of] = /^--shard=(\d+)\/(\d+)$/.exec(argument) ?? []
    if (argument === '--rest' || argument === '--all') options.tier = argument === '--all' ? 'all' : 'rest'
    else if (base !== undefined) options.base = base
    else if (of !== undefined) options.shard = { number: Number(number), of: Number(of) }
    else options.forVitest.push(argument)
  }
  return options
}
