// `npm run pages`: builds the web SDK, the dashboard and the guides when their sources have changed. Exits with 1 when one cannot be built.
import { buildPages, pageBuilds } from './pages.ts'

const failed = await buildPages(pageBuilds, { print: (line) => void process.stdout.write(`${line}\n`) })
if (failed.length > 0) process.exitCode = 1
