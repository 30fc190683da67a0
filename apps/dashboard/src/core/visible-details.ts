import type { FaultDetail } from '@herald/contracts/fault'

/** Gives the mistakes to show while an operator writes. An empty field counts as a mistake only after the operator asked for the review (`asked`). */
export function visibleDetails(details: readonly FaultDetail[], body: unknown, asked: boolean): FaultDetail[] {
  return details.filter(({ path }) => {
    if (asked) return true
    const value = valueAt(body, path)
    return value !== undefined && value !== ''
  })
}

/** Gives the value at a path of a body. Names of tags and data may contain dots, so the longest name that fits is taken. */
function valueAt(body: unknown, path: string): unknown {
  if (path === '') return body
  if (typeof body !== 'object' || body === null) return undefined
  const steps = path.split('.')
  for (let length = steps.length; length > 0; length -= 1) {
    const name = steps.slice(0, length).join('.')
    if (Object.hasOwn(body, name)) return valueAt((body as Record<string, unknown>)[name], steps.slice(length).join('.'))
  }
  return undefined
}

/** Gives a function that finds the message for the path of a field. */
export const byPath = (details: readonly FaultDetail[]): ((path: string) => string | undefined) => {
  const messages = new Map(details.map(({ path, message }) => [path, message]))
  return (path) => messages.get(path)
}
