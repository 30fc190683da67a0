import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { openApiDocument } from './http/routes.ts'
import { wireGateway } from './wire.ts'

if (process.argv.includes('--describe-openapi')) {
  process.stdout.write(`${JSON.stringify(openApiDocument, undefined, 2)}\n`)
} else {
  await runService('gateway', Config, async (service) => {
    await wireGateway(service)
  })
}
