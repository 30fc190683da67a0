// Makes the files of a service's image: `node tools/src/bundle.ts <app> <directory>`. Each service becomes one file of JavaScript, `main.mjs`. With
// one file a start takes half as long, and the image a tenth of the size that sources with their node_modules take (docs/operations.md, Images).
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { apps, appsWithDatabase } from './apps.ts'
import { root } from './workspace.ts'

/** The programs that have an image: every service, the simulator, and the set-up that makes secrets and tables. */
const entries: Record<string, string> = {
  ...Object.fromEntries([...apps, 'simulator'].map((app) => [app, `apps/${app}/src/main.ts`])),
  'set-up': 'tools/src/set-up.ts',
}

/**
 * Defines names of CommonJS that some libraries expect. The imports have unusual names, because the bundler does not know of them and may itself use
 * the plain ones.
 */
const banner = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`

const [name = '', directory = ''] = process.argv.slice(2)
const entry = entries[name]
if (!entry || !directory) {
  process.stderr.write(`usage: node tools/src/bundle.ts <${Object.keys(entries).join('|')}> <directory>\n`)
  process.exit(2)
}

await build({
  entryPoints: [join(root, entry)],
  outfile: join(directory, 'main.mjs'),
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  banner: { js: banner },
  // The files are not minified, because errors and logs show the names of functions and classes.
  minify: false,
  legalComments: 'none',
  logLevel: 'warning',
})
if (name === 'gateway') copySwagger()
if (name === 'set-up') {
  for (const app of appsWithDatabase) cpSync(join(root, 'apps', app, 'migrations'), join(directory, 'migrations', app), { recursive: true })
}

/** Copies the files of Swagger UI that the gateway serves at /docs. */
function copySwagger(): void {
  const from = dirname(createRequire(join(root, 'apps/gateway/src/main.ts')).resolve('swagger-ui-dist/package.json'))
  const to = join(directory, 'node_modules/swagger-ui-dist')
  mkdirSync(to, { recursive: true })
  const served = readdirSync(from).filter(
    (file) => file === 'package.json' || /^(swagger-ui(-bundle)?\.(css|js)|favicon-.*\.png)$/.test(file),
  )
  for (const file of served) cpSync(join(from, file), join(to, file))
}
