import type { Route } from '../../http/route.ts'
import { getApp } from '../store/apps.ts'

/**
 * Makes the administration's version of a public route: the same operation, on the app that the path names instead of the app of an API key
 * (spec: administration/segments-templates, administration/campaign-operations). When the route writes an audit line, `auditElsewhere` checks that
 * the app exists. Otherwise the `answer` made here checks it.
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
