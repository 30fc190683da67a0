import { runService } from '@herald/service/run'
import { Config } from './config.ts'
import { administrationDescription, openApiDocument } from './http/routes.ts'
import { wireGateway } from './wire.ts'

const described = process.argv.includes('--describe-openapi')
  ? openApiDocument
  : process.argv.includes('--describe-administration')
    ? administrationDescription
    : undefined
if (described) {
  process.stdout.write(`${JSON.stringify(described, undefined, 2)}\n`)
} else {
  await runService('gateway', Config, async (service) => {
    await wireGateway(service)
  })
}
