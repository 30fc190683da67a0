import type { FaultDetail } from '@herald/contracts/fault'

/**
 * The mistakes to be shown while a person writes: a field that is still empty is not called wrong before they have asked for a review (`asked`).
 */
export function visibleDetails(details: readonly FaultDetail[], body: unknown, asked: boolean): FaultDetail[] {
  return details.filter(({ path }) => {
    if (asked) return true
    const value = valueAt(body, path)
    return value !== undefined && value !== ''
  })
}

/** What stands at a path of a body. Of names that hold dots (tags, keys of data) the longest that fits. */
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

/** By path, for the fields. */
export const byPath = (details: readonly FaultDetail[]): ((path: string) => string | undefined) => {
  const messages = new Map(details.map(({ path, message }) => [path, message]))
  return (path) => messages.get(path)
}
