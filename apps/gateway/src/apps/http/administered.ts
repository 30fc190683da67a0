import type { AdminScope, Scope } from '@herald/contracts/administration'
import type { Route } from '../../http/route.ts'
import { getApp } from '../store/apps.ts'

/** The scope of an administration key that stands for a scope of a secret key. */
const adminScopeOf: Record<Scope, AdminScope> = {
  'subscriptions:read': 'read',
  'campaigns:read': 'read',
  'campaigns:write': 'send',
  'notifications:send': 'send',
  'subscriptions:write': 'people',
  'users:read': 'people',
  'users:write': 'people',
}

/**
 * Makes the administration's version of a public route: the same operation on the app that the path names
 * (spec: administration/segments-templates, administration/campaign-operations). `answer` checks that the app exists, unless `auditElsewhere` does it
 * for a line of the audit.
 */
export function administered(of: Route): Route {
  if (of.key === 'admin' || of.scope === undefined) throw new Error(`${of.name} names no scope of a secret key`)
  const { scope, limit: _limit, ...it } = of
  return {
    ...it,
    name: `${it.name}OfApp`,
    key: 'admin',
    scope: adminScopeOf[scope],
    path: it.path.replace('/v1/', '/v1/admin/apps/:appId/'),
    async answer(gateway, asked) {
      if (typeof it.audit !== 'object') await getApp(gateway.db, asked.appId)
      return it.answer(gateway, asked)
    },
  }
}
