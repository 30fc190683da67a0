import * as calls from '@herald/contracts/calls/campaigns'
import { Category, CreateCategory, SaveCategory } from '@herald/contracts/category'
import { notFound } from '@herald/contracts/fault'
import { CategoryId } from '@herald/contracts/text'
import { z } from 'zod'
import { getApp } from '../../apps/store/apps.ts'
import { CategoryList } from './campaign-answers.ts'
import { pageQuery } from '../../core/page.ts'
import { elsewhere, route } from '../../http/route.ts'

const categories = '/v1/admin/apps/:appId/categories'
const oneCategory = `${categories}/:id` as const

/** Gives the id of a category in a path. A text that can be no id names no category. Fault: not_found. */
function idOf({ id }: { id: string }): string {
  if (!CategoryId.safeParse(id).success) throw notFound()
  return id
}

/** The routes with which an operator makes, lists, changes and deletes categories (spec: categories/fields). */
export const categoriesOfApp = [
  route({
    name: 'listCategories',
    method: 'get',
    path: categories,
    key: 'admin',
    scope: 'read',
    status: 200,
    query: z.strictObject(pageQuery),
    summary: 'List categories, in the order in which they were made',
    description: 'An app has at most 50, so the list is always whole: it has one page, whatever the query says.',
    answers: CategoryList,
    async answer({ db, bus }, { appId }) {
      await getApp(db, appId)
      const { categories: items } = await bus.call(calls.listCategories, { appId })
      return { items, nextCursor: null }
    },
  }),
  route({
    name: 'createCategory',
    method: 'post',
    path: categories,
    key: 'admin',
    scope: 'settings',
    body: CreateCategory,
    status: 201,
    summary: 'Make a category of notifications, which people may join or leave',
    description:
      'Sends, campaigns and templates name it by its id. `default` says who is in it without a choice of their own. Nobody can leave a `locked` one. ' +
      'Its `presentation` lies under that of the template and of the send. An app has at most 50.',
    answers: Category,
    faults: ['duplicate_name', 'limit_reached'],
    audit: elsewhere('category.created'),
    answer: ({ bus }, { appId, body }) => bus.call(calls.createCategory, { appId, category: body }),
  }),
  route({
    name: 'replaceCategory',
    method: 'put',
    path: oneCategory,
    texts: ['id'],
    key: 'admin',
    scope: 'settings',
    body: SaveCategory,
    status: 200,
    summary: 'Replace a category',
    description:
      'Replaces the whole: an optional field that is left out is removed. Sends that were asked for keep what they have frozen of it.',
    answers: Category,
    audit: elsewhere('category.changed'),
    answer: ({ bus }, { appId, params, body }) => bus.call(calls.replaceCategory, { appId, categoryId: idOf(params), category: body }),
  }),
  route({
    name: 'deleteCategory',
    method: 'delete',
    path: oneCategory,
    texts: ['id'],
    key: 'admin',
    scope: 'settings',
    status: 204,
    summary: 'Delete a category',
    description:
      '409 while a campaign that is scheduled, active, paused or under way names it. People’s choices stay, for a category that is made again with the same id.',
    faults: ['invalid_state'],
    audit: elsewhere('category.deleted'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.deleteCategory, { appId, categoryId: idOf(params) }),
  }),
]
