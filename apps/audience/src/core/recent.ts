/** A memory of values by key. When it is full, it forgets the value that was not read or written for longest. */
export type Recent<Value> = { get(key: string): Value | undefined; set(key: string, value: Value): void }

export function keepRecent<Value>(max: number): Recent<Value> {
  // A Map iterates in the order of insertion, so deleting a key and setting it again makes the key the newest.
  const values = new Map<string, Value>()
  return {
    get(key) {
      const value = values.get(key)
      if (value === undefined) return undefined
      values.delete(key)
      values.set(key, value)
      return value
    },
    set(key, value) {
      values.delete(key)
      values.set(key, value)
      const oldest = values.keys().next().value
      if (values.size > max && oldest !== undefined) values.delete(oldest)
    },
  }
}
