import type { Route } from '../../http/route.ts'
import { getApp } from '../store/apps.ts'

/**
 * Makes the administration's version of a public route: the same operation, on the app that the path names instead of the app of an API key
 * (spec: administration/segments-templates, administration/campaign-operations). For a route without an audit line, the `answer` made here checks
 * that the app exists; for a route with one, `auditElsewhere` does.
 */
export function administered({ scope: _scope, limit: _limit, ...it }: Route): Route {
  return {
    ...it,
    name: `${it.name}OfApp`,
    key: 'admin',
    path: it.path.replace('/v1/', '/v1/admin/apps/:appId/'),
    async answer(gateway, asked) {
      if (typeof it.audit !== 'object') await getApp(gateway.db, asked.appId)
      return it.answer(gateway, asked)
    },
  }
}
