import { baseUrlOf } from '../../core/base-url.ts'
import { readSystem } from '../read-system.ts'
import { SystemRead } from '../../openapi/http/administration-answers.ts'
import { route } from '../../http/route.ts'

export const system = [
  route({
    name: 'readSystem',
    method: 'get',
    path: '/v1/admin/system',
    key: 'admin',
    withoutDatabase: true,
    status: 200,
    summary: 'Read how Herald as a whole is doing; what cannot be known now is null',
    answers: SystemRead,
    answer: ({ bus, watch, installed }, { header }) =>
      readSystem({ bus, watch, baseUrl: baseUrlOf(installed.baseUrl, header), simulator: installed.simulator }),
  }),
]
