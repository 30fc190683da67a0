import { adminScopes } from '@herald/contracts/administration'
import { fault } from '@herald/contracts/fault'
import { line, visible } from '@herald/contracts/text'
import { z } from 'zod'
import { baseUrlOf } from '../../core/base-url.ts'
import { endedCookie, sessionCookie, type SignedIn } from '../../core/session-door.ts'
import { mostListed } from '../store/sessions.ts'
import { SessionList, SessionRead, SignInLink } from './session-answers.ts'
import { Reply } from '../../http/reply.ts'
import { own, route } from '../../http/route.ts'

const name = line(1, 64)
  .refine(...visible)
  .optional()

const BeginSession = z
  .strictObject({
    token: z.string().min(1).max(1024).optional(),
    key: z.string().min(1).max(128).optional(),
    code: z.string().min(1).max(128).optional(),
    name,
  })
  .refine((given) => [given.token, given.key, given.code].filter((one) => one !== undefined).length === 1, {
    path: ['token'],
    message: 'must be given, or an administration key or the code of a sign-in link in its place',
  })
const MakeLink = z.strictObject({ name })

const shown = ({ name, expiresAt, csrfToken, adminKey }: SignedIn) => ({
  name,
  expiresAt,
  csrfToken,
  scopes: [...(adminKey?.scopes ?? adminScopes)],
  appId: adminKey?.appId ?? null,
})

function signedIn(session: SignedIn | undefined): SignedIn {
  if (session) return session
  throw fault('unauthorized', 'There is no session: POST /v1/admin/session begins one.')
}

/** The routes for signing in to the dashboard and out of it (docs/decisions/0052). */
export const session = [
  route({
    name: 'beginSession',
    method: 'post',
    path: '/v1/admin/session',
    key: 'sign-in',
    body: BeginSession,
    status: 201,
    summary: 'Sign in with the administration token, an administration key or the code of a sign-in link; sets the cookie of the session',
    description:
      'Changes made with the cookie need the header x-csrf-token. After ten wrong tokens, keys or codes from an address within a minute the answer is 429.',
    answers: SessionRead,
    faults: ['unauthorized', 'forbidden', 'rate_limited'],
    audit: own('session.begun'),
    async answer({ signIn }, { body, visitor }) {
      const { cookie, session: begun } = await signIn.begin(body, visitor())
      return new Reply(shown(begun), { headers: { 'set-cookie': sessionCookie(cookie) } })
    },
  }),
  route({
    name: 'readSession',
    method: 'get',
    path: '/v1/admin/session',
    key: 'admin',
    scope: 'any',
    status: 200,
    summary: 'Read the session of the cookie; 401 when there is none',
    answers: SessionRead,
    withoutDatabase: true,
    answer: async (_gateway, { session: present }) => shown(signedIn(present)),
  }),
  route({
    name: 'endSession',
    method: 'delete',
    path: '/v1/admin/session',
    key: 'admin',
    scope: 'any',
    status: 204,
    summary: 'Sign out: the session of the cookie ends',
    audit: own('session.ended'),
    async answer({ sessions }, { session: present, visitor }) {
      await sessions.end(signedIn(present), visitor().requestId)
      return new Reply(undefined, { headers: { 'set-cookie': endedCookie } })
    },
  }),
  route({
    name: 'listSessions',
    method: 'get',
    path: '/v1/admin/sessions',
    key: 'admin',
    scope: 'platform',
    status: 200,
    summary: `List the sessions that last, the one that was used last first: at most ${mostListed}`,
    answers: SessionList,
    async answer({ sessions }, { session: present }) {
      const listed = await sessions.list()
      const items = listed.map(({ createdAt, seenAt, ...of }) => ({
        ...of,
        createdAt: createdAt.toISOString(),
        lastUsedAt: seenAt.toISOString(),
        isThis: of.id === present?.id,
      }))
      return { items }
    },
  }),
  route({
    name: 'endSessionById',
    method: 'delete',
    path: '/v1/admin/sessions/:id',
    key: 'admin',
    scope: 'platform',
    status: 204,
    summary: 'End a session, of whomever; its browser is signed out at every gateway',
    audit: own('session.ended'),
    answer: ({ sessions }, { params, actor, visitor }) => sessions.endById(params.id, { actor, requestId: visitor().requestId }),
  }),
  route({
    name: 'makeSignInLink',
    method: 'post',
    path: '/v1/admin/sign-in-links',
    key: 'admin',
    scope: 'platform',
    body: MakeLink,
    status: 201,
    summary: 'Make a link that signs in once, within ten minutes',
    description:
      'The code stands behind #, so it reaches no log of a server. At most 100 links wait to be used; beyond that the oldest is deleted.',
    answers: SignInLink,
    audit: own('sign-in-link.made'),
    async answer({ sessions, installed }, { body, header, actor, visitor }) {
      const { code, expiresAt } = await sessions.makeLink({ actor, requestId: visitor().requestId }, body.name)
      const asksForName = body.name === undefined ? '&name' : ''
      return { url: `${baseUrlOf(installed.baseUrl, header) ?? ''}/dashboard/#code=${code}${asksForName}`, expiresAt }
    },
  }),
]
