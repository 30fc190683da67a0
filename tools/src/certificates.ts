import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { StartError } from './start-error.ts'
import { writeWhole } from './write-whole.ts'

export type Certificates = { ca: string; certificate: string; privateKey: string }

const day = 86_400_000

/**
 * Gives the paths of the simulator's CA and server certificate (PEM) in `<data>/certificates`, for localhost, 127.0.0.1 and `simulator`, its name
 * among containers. Both are valid for a year, and made again when under 30 days are left.
 */
export function readCertificates(dataDir: string, now: Date): Certificates {
  const directory = join(dataDir, 'certificates')
  const paths = { ca: join(directory, 'ca.pem'), certificate: join(directory, 'server.pem'), privateKey: join(directory, 'server-key.pem') }
  if (isGoodFor30Days(paths, now)) return paths
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const made = makeServerCertificate(now, 365, ['simulator'])
  writeWhole(paths.ca, made.ca)
  writeWhole(paths.privateKey, made.privateKey)
  writeWhole(paths.certificate, made.certificate)
  return paths
}

/**
 * Writes one file with the simulator's CA and the certificates of the operator's NODE_EXTRA_CA_CERTS, and gives its path: Node reads a single file,
 * and only when a process starts.
 */
export function joinAuthorities(dataDir: string, ca: string, given: string | undefined): string {
  const bundle = join(dataDir, 'certificates', 'authorities.pem')
  if (given && !existsSync(given)) throw new StartError(`NODE_EXTRA_CA_CERTS names ${given}, which does not exist.`)
  writeWhole(bundle, [ca, ...(given ? [given] : [])].map((file) => `${readFileSync(file, 'utf8').trim()}\n`).join(''))
  return bundle
}

function isGoodFor30Days(paths: Certificates, now: Date): boolean {
  if (!Object.values(paths).every((path) => existsSync(path))) return false
  return [paths.ca, paths.certificate].every((path) => {
    try {
      return new Date(new X509Certificate(readFileSync(path)).validTo).getTime() > now.getTime() + 30 * day
    } catch {
      return false
    }
  })
}
