/** Says whether a value of JSON is an object, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Merges a patch into an object of JSON (RFC 7396, JSON Merge Patch): an object is merged member by member, null removes a member, and any other value
 * replaces what is there. Neither argument is changed.
 */
export function mergePatch(target: unknown, patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const merged = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) ? mergePatch(merged[key], value) : value
  }
  return merged
}
