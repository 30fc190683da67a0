import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Finding } from './finding.ts'
import { UsageError } from './usage-error.ts'

const soonDays = 14
const withinMs = 5_000

/** Checks that requests to Herald are encrypted, or stay on this machine, and that the certificate is valid for at least 14 more days. */
export async function certificateFinding(address: string): Promise<Finding> {
  if (!URL.canParse(address)) throw new UsageError(`${address} is no address. It looks like https://push.example.com`)
  const { protocol, hostname, port } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol === 'http:') {
    if (/^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1)$/.test(host))
      return { check: 'TLS', state: 'ok', says: 'Herald is on this machine: http is enough.' }
    const says = 'The address begins with http://: keys and tokens could be read on their way.'
    return {
      check: 'TLS',
      state: 'fault',
      says,
      remedy: 'Put a proxy with a certificate before Herald, or reach it through an SSH tunnel.',
    }
  }
  const found = await readCertificate(host, port === '' ? 443 : Number(port))
  // This is no fault: the check "reachability", which comes next, reports an address that cannot be reached as a fault.
  if ('unreachable' in found) return { check: 'TLS', state: 'unknown', says: 'The certificate could not be read: no connection.' }
  if ('refused' in found)
    return { check: 'TLS', state: 'fault', says: `The certificate is not taken: ${found.refused}.`, remedy: remedyOf(found.code) }
  const days = Math.floor((found.validTo - Date.now()) / 86_400_000)
  if (days >= soonDays) return { check: 'TLS', state: 'ok', says: `The certificate is good for ${days} days.` }
  return { check: 'TLS', state: 'fault', says: `The certificate ends in ${days} days.`, remedy: 'Renew it.' }
}

function remedyOf(code: string): string {
  if (code === 'CERT_HAS_EXPIRED') return 'Renew it.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'It is for another name: use that name, or have one made for this.'
  return 'Have it made by a public authority, or name your own with NODE_EXTRA_CA_CERTS=/path/to/authority.pem.'
}

type Found = { validTo: number } | { refused: string; code: string } | { unreachable: true }

function readCertificate(host: string, port: number): Promise<Found> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(isIP(host) ? {} : { servername: host }) })
    const end = (found: Found) => {
      socket.destroy()
      resolve(found)
    }
    socket.setTimeout(withinMs, () => end({ unreachable: true }))
    socket.once('secureConnect', () => end({ validTo: Date.parse(socket.getPeerCertificate().valid_to) }))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? ''
      const isOfCertificate = /CERT|SELF_SIGNED|ISSUER|TLS|SSL|VERIFY/.test(code)
      end(isOfCertificate ? { refused: error.message, code } : { unreachable: true })
    })
  })
}
