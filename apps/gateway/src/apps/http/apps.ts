import { CreateApp, PatchApp } from '@herald/contracts/administration'
import { pageOf, PageQuery } from '../../core/page.ts'
import { changeApp, createApp, deleteApp, listApps, makeIdentitySecret } from '../manage-app.ts'
import { getApp } from '../store/apps.ts'
import { AppList, AppRead, IdentitySecret } from './app-answers.ts'
import { own, route } from '../../http/route.ts'

export const apps = [
  route({
    name: 'createApp',
    method: 'post',
    path: '/v1/admin/apps',
    key: 'admin',
    body: CreateApp,
    status: 201,
    summary: 'Make an app',
    answers: AppRead,
    audit: own('app.created'),
    answer: ({ db }, { body, note }) => createApp({ db, note }, body),
  }),
  route({
    name: 'listApps',
    method: 'get',
    path: '/v1/admin/apps',
    key: 'admin',
    query: PageQuery,
    status: 200,
    summary: 'List apps, newest first',
    answers: AppList,
    answer: ({ reads }, { query }) => reads((db) => listApps({ db }, pageOf(query))),
  }),
  route({
    name: 'readApp',
    method: 'get',
    path: '/v1/admin/apps/:appId',
    key: 'admin',
    status: 200,
    summary: 'Read an app',
    answers: AppRead,
    answer: ({ db }, { appId }) => getApp(db, appId),
  }),
  route({
    name: 'changeApp',
    method: 'patch',
    path: '/v1/admin/apps/:appId',
    key: 'admin',
    body: PatchApp,
    status: 200,
    summary: 'Change the name or settings of an app',
    answers: AppRead,
    audit: own('app.changed'),
    answer: (gateway, { appId, body, note }) => changeApp({ ...gateway, note }, appId, body),
  }),
  route({
    name: 'deleteApp',
    method: 'delete',
    path: '/v1/admin/apps/:appId',
    key: 'admin',
    status: 204,
    summary: 'Delete an app',
    audit: own('app.deleted'),
    answer: (gateway, { appId, note }) => deleteApp({ ...gateway, note }, appId),
  }),
  route({
    name: 'makeIdentitySecret',
    method: 'post',
    path: '/v1/admin/apps/:appId/identity-secret',
    key: 'admin',
    status: 201,
    summary: 'Make the secret that signs identity tokens, in the place of an earlier one',
    answers: IdentitySecret,
    audit: own('identity-secret.made'),
    answer: (gateway, { appId, note }) => makeIdentitySecret({ ...gateway, note }, appId),
  }),
]
