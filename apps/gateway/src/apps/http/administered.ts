import type { Route } from '../../http/route.ts'
import { getApp } from '../store/apps.ts'

/**
 * The administration's version of a public route: the same operation, on the app of the path instead of the app of the key (spec:
 * administration/segments-templates, administration/campaign-operations). Whether the app exists is checked here, but for a change: there it is
 * checked where its line in the audit begins.
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
