import { CreateAdminKey, CreateKey } from '@herald/contracts/administration'
import { z } from 'zod'
import { pageOf, pageQuery } from '../../core/page.ts'
import { createAdminKey, listAdminKeys, revokeAdminKey } from '../manage-admin-key.ts'
import { createKey, listKeys, revokeKey } from '../manage-key.ts'
import { AdminKeyList, ApiKeyList, MadeAdminKey, MadeApiKey } from './app-answers.ts'
import { own, route } from '../../http/route.ts'

export const keys = [
  route({
    name: 'createKey',
    method: 'post',
    path: '/v1/admin/apps/:appId/keys',
    key: 'admin',
    scope: 'platform',
    body: CreateKey,
    status: 201,
    summary: 'Make an API key; its text is shown this once',
    answers: MadeApiKey,
    audit: own('key.created'),
    answer: ({ db }, { appId, body, note }) => createKey({ db, note }, appId, body),
  }),
  route({
    name: 'listKeys',
    method: 'get',
    path: '/v1/admin/apps/:appId/keys',
    key: 'admin',
    scope: 'read',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the API keys of an app, newest first',
    answers: ApiKeyList,
    answer: ({ reads }, { appId, query }) => reads((db) => listKeys({ db }, appId, pageOf(query)), { appId }),
  }),
  route({
    name: 'revokeKey',
    method: 'delete',
    path: '/v1/admin/apps/:appId/keys/:keyId',
    key: 'admin',
    scope: 'platform',
    status: 204,
    summary: 'Revoke an API key',
    audit: own('key.revoked'),
    answer: (gateway, { appId, params, note }) => revokeKey({ ...gateway, note }, appId, params.keyId),
  }),
  route({
    name: 'createAdminKey',
    method: 'post',
    path: '/v1/admin/apps/:appId/admin-keys',
    key: 'admin',
    scope: 'platform',
    body: CreateAdminKey,
    status: 201,
    summary: 'Make a key of the administration for this app; its text is shown this once',
    description:
      'The key is used like the administration token, on routes of this app. The x-required-scope of an operation says which scope it needs; with `platform` no such key is enough, with `any` each is.',
    answers: MadeAdminKey,
    faults: ['limit_reached'],
    audit: own('admin-key.created'),
    answer: ({ db }, { appId, body, note }) => createAdminKey({ db, note }, appId, body),
  }),
  route({
    name: 'listAdminKeys',
    method: 'get',
    path: '/v1/admin/apps/:appId/admin-keys',
    key: 'admin',
    scope: 'read',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the administration keys of an app, newest first',
    answers: AdminKeyList,
    answer: ({ reads }, { appId, query }) => reads((db) => listAdminKeys({ db }, appId, pageOf(query)), { appId }),
  }),
  route({
    name: 'revokeAdminKey',
    method: 'delete',
    path: '/v1/admin/apps/:appId/admin-keys/:keyId',
    key: 'admin',
    scope: 'platform',
    status: 204,
    summary: 'Revoke an administration key; the sessions that began with it end',
    audit: own('admin-key.revoked'),
    answer: (gateway, { appId, params, note }) => revokeAdminKey({ ...gateway, note }, appId, params.keyId),
  }),
]
