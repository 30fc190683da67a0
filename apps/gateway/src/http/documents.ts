import { administrationApi } from '../openapi/http/openapi-administration.ts'
import { publicApi } from '../openapi/http/openapi-public.ts'
import { describeApi } from '../openapi/http/openapi.ts'
import { administrationRoutes, publicRoutes } from './routes.ts'

export const openApiDocument = describeApi(publicRoutes, publicApi)
export const administrationDescription = describeApi(administrationRoutes, administrationApi)
