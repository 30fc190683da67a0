import type { components } from '../api/schema.gen.ts'

export type Scope = components['schemas']['ApiKey']['scopes'][number]

/** What each scope of a key allows a backend, in the order in which the form lists them. A scope without a text does not compile. */
export const scopeTexts: Record<Scope, string> = {
  'notifications:send': 'Send notifications, and try them out with a dry run',
  'campaigns:write': 'Make, send and cancel campaigns; save segments and templates',
  'campaigns:read': 'Read the counters of campaigns, and templates',
  'users:write': 'Change and erase users',
  'users:read': 'Read users with their devices and tags',
  'subscriptions:write': 'Register devices, change them, log them in and out',
  'subscriptions:read': 'Count segments, and read those that are saved',
}

export const allScopes = Object.keys(scopeTexts) as Scope[]

export type AdminScope = components['schemas']['AdminKeyRead']['scopes'][number]

/** What each scope allows a person or tool in the app, in the order of the form. */
export const adminScopeTexts: Record<AdminScope, string> = {
  read: 'Look at campaigns and their results, segments, templates and settings; nobody’s personal data',
  send: 'Write, test, send and stop campaigns; save segments and templates',
  people: 'See and change people, their devices, what each got, and the audit',
  settings: 'Change settings, credentials of providers and webhooks',
}

export const allAdminScopes = Object.keys(adminScopeTexts) as AdminScope[]

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
      const also = operation['x-also-required-scope']
      const summary = `${typeof operation['summary'] === 'string' ? operation['summary'] : ''}${typeof also === 'string' ? `; needs ${also} too` : ''}`
      byScope.set(scope, [...(byScope.get(scope) ?? []), { method: method.toUpperCase(), path, summary }])
    }
  }
  return byScope
}

function takesKey({ security }: Record<string, unknown>, kind: 'secret' | 'public'): boolean {
  return Array.isArray(security) && security.some((way) => isObject(way) && `${kind}Key` in way)
}
