import type { Route } from '../../http/route.ts'
import { getApp } from '../store/apps.ts'

/**
 * Makes the administration's version of a public route: the same operation on the app that the path names
 * (spec: administration/segments-templates, administration/campaign-operations). `answer` checks that the app exists, unless `auditElsewhere` does it
 * for a line of the audit.
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
