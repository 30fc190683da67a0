// `npm run pages`: builds the services, the web SDK, the dashboard and the guides when their sources have changed; with the argument `services` only
// the services. Exits with 1 when one cannot be built.
import { buildPages, pageBuilds, serviceBuild } from './pages.ts'

const builds = process.argv[2] === 'services' ? [serviceBuild] : [serviceBuild, ...pageBuilds]
const failed = await buildPages(builds, { print: (line) => void process.stdout.write(`${line}\n`) })
if (failed.length > 0) process.exitCode = 1
