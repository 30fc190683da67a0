import type { components } from '../api/schema.gen.ts'

export type Scope = components['schemas']['ApiKey']['scopes'][number]

/** What each scope of a key allows a backend, in the order of the form. A scope without a text does not compile. */
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
