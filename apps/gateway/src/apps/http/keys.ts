import { CreateKey } from '@herald/contracts/administration'
import { z } from 'zod'
import { pageOf, pageQuery } from '../../core/page.ts'
import { createKey, listKeys, revokeKey } from '../manage-key.ts'
import { ApiKeyList, MadeApiKey } from './app-answers.ts'
import { own, route } from '../../http/route.ts'

export const keys = [
  route({
    name: 'createKey',
    method: 'post',
    path: '/v1/admin/apps/:appId/keys',
    key: 'admin',
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
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the API keys of an app, newest first',
    answers: ApiKeyList,
    answer: ({ reads }, { appId, query }) => reads((db) => listKeys({ db }, appId, pageOf(query)), { turn: appId }),
  }),
  route({
    name: 'revokeKey',
    method: 'delete',
    path: '/v1/admin/apps/:appId/keys/:keyId',
    key: 'admin',
    status: 204,
    summary: 'Revoke an API key',
    audit: own('key.revoked'),
    answer: (gateway, { appId, params, note }) => revokeKey({ ...gateway, note }, appId, params.keyId),
  }),
]
