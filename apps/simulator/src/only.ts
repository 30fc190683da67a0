import type { Only, Service } from './faults.ts'
import { parseJwt } from './jwt.ts'
import type { Request } from './request.ts'

/** Says whether a fault that is narrowed to one host or key concerns a request. */
export function isOnly({ host, key }: Only, service: Service, request: Request): boolean {
  return (host === undefined || isAt(host, request)) && (key === undefined || keyOf(service, request) === key)
}

function isAt(wanted: string, { headers }: Request): boolean {
  const host = (headers[':authority'] ?? headers['host'] ?? '').replace(/:\d+$/, '')
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted
}

/** Gives the key id of APNs, the project of FCM or the public key of VAPID that a request names; undefined when it names none. */
function keyOf(service: Service, { path, headers }: Request): unknown {
  const authorization = headers['authorization'] ?? ''
  if (service === 'apns') return parseJwt(authorization.replace(/^bearer /i, ''))?.header['kid']
  if (service === 'fcm') return /^\/v1\/projects\/([^/]+)\//.exec(path)?.[1]
  return service === 'web-push' ? /\bk=([\w-]+)/.exec(authorization)?.[1] : undefined
}
