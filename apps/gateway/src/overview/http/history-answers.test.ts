import { expect, test } from 'vitest'
import { historyExamples } from './history-examples.ts'
import { administrationRoutes } from '../../http/routes.ts'

test.each(Object.entries(historyExamples))('%s shows an answer that its schema describes whole', (name, { answer }) => {
  const route = administrationRoutes.find((one) => one.name === name)
  expect(route?.answers?.parse(answer)).toEqual(answer)
})
