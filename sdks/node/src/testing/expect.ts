/** Assertions for testing/suite.ts. They need no library, because the suite also runs on Bun, Deno and workerd. */

/** Throws unless two values are the same as JSON. */
export function equal(actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(sorted(actual)), JSON.stringify(sorted(expected))]
  if (one !== other) throw new Error(`expected ${other}, got ${one}`)
}

export function isTrue(value: boolean, what: string): void {
  if (!value) throw new Error(`not so: ${what}`)
}

/** Gives the error that a promise rejects with. Throws when the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    (value) => ({ value }),
    (reason: unknown) => ({ reason }),
  )
  if ('reason' in settled) return settled.reason
  throw new Error(`expected a rejection, got ${JSON.stringify(settled.value)}`)
}

/** Gives the error that a function throws; undefined when it throws none. */
export function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  )
}
