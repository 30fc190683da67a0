import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { Reply } from '../../http/reply.ts'

/** The built files of one directory: read when they are asked for, and again when they have changed. */
export type StaticFiles = {
  /** Reads a file by its path below the directory; undefined when there is no such file, or it is too large, or its kind or path is not served. */
  read(place: readonly string[]): Promise<StaticFile | undefined>
}

type Encoding = 'br' | 'gzip'
export type StaticFile = {
  mediaType: string
  bytes: Buffer
  /** The compressed versions of the file that the build wrote beside it. */
  compressed: Partial<Record<Encoding, Buffer>>
  etag: string
  modifiedAt: number
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.tgz': 'application/gzip',
}

/**
 * Each part of a path must have this form. It is checked after decoding, so no spelling of an address leads to a hidden file or out of the directory.
 */
const partForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
const mostParts = 6
const largestFile = 8_000_000
/** At most this many bytes of each directory are cached in memory. */
const mostKept = 32_000_000

export function openStaticFiles(directory: string): StaticFiles {
  const kept = new LRUCache<string, StaticFile>({ maxSize: mostKept, sizeCalculation: sizeOf, maxEntrySize: mostKept })
  return {
    async read(place) {
      if (place.length === 0 || place.length > mostParts || !place.every((part) => partForm.test(part))) return undefined
      const path = join(directory, ...place)
      const mediaType = mediaTypes[extname(path)]
      if (mediaType === undefined) return undefined
      const found = await stat(path).catch(() => undefined)
      if (!found?.isFile() || found.size > largestFile) return undefined
      const known = kept.get(path)
      if (known && known.modifiedAt === found.mtimeMs && known.bytes.length === found.size) return known
      // A build may have replaced or removed the file since it was found.
      const file = await load(path, mediaType, found.mtimeMs).catch(() => undefined)
      if (file) kept.set(path, file)
      return file
    },
  }
}

const sizeOf = ({ bytes, compressed }: StaticFile): number =>
  bytes.length + (compressed.br?.length ?? 0) + (compressed.gzip?.length ?? 0) + 1

async function load(path: string, mediaType: string, modifiedAt: number): Promise<StaticFile> {
  const beside = (ending: string) => readFile(path + ending).catch(() => undefined)
  const [bytes, br, gzip] = await Promise.all([readFile(path), beside('.br'), beside('.gz')])
  const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { mediaType, bytes, compressed: { ...(br && { br }), ...(gzip && { gzip }) }, etag, modifiedAt }
}

/** Answers with a file: compressed when the client accepts that, or 304 when the client has the file already. */
export function replyWith(file: StaticFile, header: (name: string) => string | undefined, headers: Record<string, string>): Reply {
  const encoding = encodingFor(header('accept-encoding') ?? '', file.compressed)
  const etag = `"${file.etag}${encoding === undefined ? '' : `-${encoding}`}"`
  const all = { ...headers, ETag: etag, Vary: 'Accept-Encoding' }
  if (isKnown(header('if-none-match'), etag)) return new Reply(undefined, { status: 304, headers: all })
  const body = (encoding && file.compressed[encoding]) ?? file.bytes
  return new Reply(body, { headers: { ...all, 'content-type': file.mediaType, ...(encoding && { 'content-encoding': encoding }) } })
}

/** Chooses Brotli, else gzip, when the build wrote that version and the client accepts it (RFC 9110, 12.5.3). `q=0` refuses a version. */
function encodingFor(accepted: string, compressed: StaticFile['compressed']): Encoding | undefined {
  const takes = new Map(
    accepted.split(',').map((one) => {
      const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
    }),
  )
  return (['br', 'gzip'] as const).find(
    (encoding) => compressed[encoding] !== undefined && (takes.get(encoding) ?? takes.get('*') ?? false),
  )
}

const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch === '*' || (ifNoneMatch?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false)

/** The built files that browsers load. `dashboard` is undefined when there is no administration token, because nobody could sign in. */
export type Pages = { dashboard: StaticFiles | undefined; webSdk: StaticFiles; guide: StaticFiles }

type Directories = { [setting in 'DASHBOARD_DIR' | 'WEB_SDK_DIR' | 'GUIDE_DIR']?: string | undefined }

export function openPages({ DASHBOARD_DIR, WEB_SDK_DIR, GUIDE_DIR }: Directories, hasAdministration: boolean): Pages {
  return {
    dashboard: hasAdministration ? openStaticFiles(builtAt(DASHBOARD_DIR, 'dashboard', 'apps/dashboard/dist')) : undefined,
    webSdk: openStaticFiles(builtAt(WEB_SDK_DIR, 'sdk', 'sdks/web/dist')),
    guide: openStaticFiles(builtAt(GUIDE_DIR, 'guide', 'dist/guide')),
  }
}

/**
 * Finds a directory of built files: the one that is set, else the one beside the program in an image, else the one where the repository builds them.
 */
function builtAt(set: string | undefined, beside: string, inRepository: string): string {
  if (set !== undefined) return set
  const inImage = join(import.meta.dirname, beside)
  return existsSync(inImage) ? inImage : join(import.meta.dirname, '../../../../..', inRepository)
}
