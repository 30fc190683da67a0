/** An operation of the public API, as the page of the keys lists it. */
export type Operation = { method: string; path: string; summary: string }

type Document = { paths?: Record<string, Record<string, unknown>> }

const methods = ['get', 'post', 'put', 'patch', 'delete']

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * Gives the operations that each scope allows a key of this kind. The operations are read from the API's own document (`x-required-scope`), so that
 * the page promises exactly what the gateway allows.
 */
export function operationsByScope(document: unknown, kind: 'secret' | 'public'): Map<string, Operation[]> {
  const byScope = new Map<string, Operation[]>()
  for (const [path, item] of Object.entries((document as Document | undefined)?.paths ?? {})) {
    for (const method of methods) {
      const operation = item[method]
      if (!isObject(operation) || !takesKey(operation, kind)) continue
      const scope = operation['x-required-scope']
      if (typeof scope !== 'string') continue
      const summary = typeof operation['summary'] === 'string' ? operation['summary'] : ''
      byScope.set(scope, [...(byScope.get(scope) ?? []), { method: method.toUpperCase(), path, summary }])
    }
  }
  return byScope
}

function takesKey({ security }: Record<string, unknown>, kind: 'secret' | 'public'): boolean {
  return Array.isArray(security) && security.some((way) => isObject(way) && `${kind}Key` in way)
}
