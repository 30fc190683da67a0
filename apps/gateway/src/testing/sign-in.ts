import { adminToken, type GatewayUnderTest } from './start-gateway.ts'
import type { Told } from './ask.ts'

let visitors = 0
/** Makes headers of a visitor with its own address, so that the wrong tokens of one test do not limit another test. */
export const visitor = (address = `203.0.113.${(visitors += 1)}`): { 'x-forwarded-for': string } => ({ 'x-forwarded-for': address })

export const signIn = (at: GatewayUnderTest, body: unknown, headers: Record<string, string> = visitor()): Promise<Told> =>
  at.ask({ method: 'POST', path: '/v1/admin/session', headers, body })

export type Session = { cookie: string; csrf: string; told: Told }

/** Begins a session with the administration token. */
export async function givenSession(at: GatewayUnderTest, name = 'Dana'): Promise<Session> {
  const told = await signIn(at, { token: adminToken, name })
  if (told.status !== 201) throw new Error(`the sign-in answered ${told.status}: ${told.text}`)
  const cookie = /^(__Host-herald=[^;]*)/.exec(told.headers['set-cookie']?.[0] ?? '')?.[1] ?? ''
  return { cookie, csrf: String(told.body['csrfToken']), told }
}

/** Sends a request with a session, as a page does. */
export const askWith = (
  { cookie, csrf }: Session,
  at: GatewayUnderTest,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Told> => at.ask({ method, path, headers: { cookie, ...(method === 'GET' ? {} : { 'x-csrf-token': csrf }), ...headers }, body })

/** Reads the audit of what belongs to no app, newest first. */
export async function auditOfHerald(at: GatewayUnderTest): Promise<{ actor: string; action: string; subject: Record<string, unknown> }[]> {
  const { body } = await at.admin('GET', '/audit?limit=200')
  return body['items'] as { actor: string; action: string; subject: Record<string, unknown> }[]
}
