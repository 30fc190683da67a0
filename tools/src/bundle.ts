// Makes programs of JavaScript: `node tools/src/bundle.ts <directory> <program>…`; without arguments the services and the simulator, into
// dist/services. A start then takes 0.2 s of CPU instead of 0.45 s.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { appsWithDatabase } from './apps.ts'
import { servicesDirectory } from './pages.ts'
import { root } from './workspace.ts'

const programs: Record<string, string> = {
  server: 'apps/server/src/main.ts',
  simulator: 'apps/simulator/src/main.ts',
  'set-up': 'tools/src/set-up.ts',
}

/**
 * Defines names of CommonJS that some libraries expect. The imports have unusual names, because the bundler does not know of them and may itself use
 * the plain ones.
 */
const banner = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`

const [directory = servicesDirectory, ...given] = process.argv.slice(2)
const names = given.length > 0 ? given : ['server', 'simulator']
const unknown = names.find((name) => programs[name] === undefined)
if (unknown !== undefined) {
  process.stderr.write(`"${unknown}" is no program. The programs are: ${Object.keys(programs).join(', ')}.\n`)
  process.exit(2)
}

const target = resolve(root, directory)
// What is there stays whole until the new files are, because a platform may run from them.
const into = `${target}.new`
rmSync(into, { recursive: true, force: true })
await build({
  entryPoints: Object.fromEntries(names.map((name) => [name, join(root, programs[name] ?? '')])),
  outdir: into,
  bundle: true,
  // What several services need is one file for them, and a service that is not run is not loaded.
  splitting: true,
  chunkNames: 'part-[hash]',
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  format: 'esm',
  banner: { js: banner },
  // Its code for the machine cannot be in a file of JavaScript (docs/decisions/0081).
  external: ['sharp'],
  // The files are not minified, because errors and logs show the names of functions and classes.
  minify: false,
  legalComments: 'none',
  logLevel: 'warning',
})
if (names.includes('server')) {
  copySwagger()
  copyPackage('sharp', join(root, 'apps/gateway'))
}
if (names.includes('set-up')) {
  for (const app of appsWithDatabase) cpSync(join(root, 'apps', app, 'migrations'), join(into, 'migrations', app), { recursive: true })
}
rmSync(target, { recursive: true, force: true })
renameSync(into, target)

/** Copies the files of Swagger UI that the gateway serves at /docs. */
function copySwagger(): void {
  const from = dirname(createRequire(join(root, 'apps/gateway/src/program.ts')).resolve('swagger-ui-dist/package.json'))
  const to = join(into, 'node_modules/swagger-ui-dist')
  mkdirSync(to, { recursive: true })
  const served = readdirSync(from).filter(
    (file) => file === 'package.json' || /^(swagger-ui(-bundle)?\.(css|js)|favicon-.*\.png)$/.test(file),
  )
  for (const file of served) cpSync(join(from, file), join(to, file))
}

/** Copies a package and what it needs, as it is found from a directory. Of its packages for other platforms none is installed. */
function copyPackage(name: string, from: string): void {
  const found = [from, dirname(from), root]
    .map((directory) => join(directory, 'node_modules', name))
    .find((directory) => existsSync(directory))
  const to = join(into, 'node_modules', name)
  if (found === undefined || existsSync(to)) return
  cpSync(found, to, { recursive: true })
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')) as {
    dependencies?: object
    optionalDependencies?: object
  }
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) copyPackage(needed, found)
}
