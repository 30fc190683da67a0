import { listTags } from '@herald/contracts/calls/audience'
import { invalidField } from '@herald/contracts/fault'
import { isTagName } from '@herald/contracts/text'
import { PageQuery } from '../../core/page.ts'
import { getApp } from '../../apps/store/apps.ts'
import { TagList } from './user-answers.ts'
import { route } from '../../http/route.ts'

export const tags = [
  route({
    name: 'listTagsOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/tags',
    key: 'admin',
    scope: 'people',
    query: PageQuery,
    status: 200,
    summary: 'List the tags that users have, by name: type, number of users and sample values',
    description:
      'At most the 2,000 most frequent, counted at most once in 30 s. Of an app with more than 10,000 users a sample is read; then `exact` is false, and each number has its 95 % interval.',
    answers: TagList,
    async answer({ db, bus }, { appId, query: { limit, cursor, q = '' } }) {
      await getApp(db, appId)
      // The cursor is the last name on a page. The next page begins after that name, even when the tags have been counted again meanwhile.
      const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString()
      if (cursor !== undefined && !isTagName(after)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
      const { tags: all, ...counted } = await bus.call(listTags, { appId })
      const prefix = q.toLowerCase()
      const wanted = all.filter(({ name }) => name > after && name.toLowerCase().startsWith(prefix))
      const items = wanted.slice(0, limit)
      const last = wanted.length > limit ? items.at(-1) : undefined
      return { items, nextCursor: last ? Buffer.from(last.name).toString('base64url') : null, ...counted }
    },
  }),
]
