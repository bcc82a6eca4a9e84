import { restDocument } from '../openapi/rest-document.ts'
import { adminSession } from '../session/types.ts'
import type { Handler } from './api.ts'
import { requireAdmin } from './require-admin.ts'
import { jsonResponse } from './response.ts'

/** `GET /api/swagger/json`: the OpenAPI document of the REST endpoints. */
export const handleOpenApi: Handler = async ({ authenticator, executor, workspace }, { headers }) => {
  requireAdmin(await authenticator.authenticate({ headers }))
  return jsonResponse(200, restDocument(workspace.snapshot.metadata, executor.schemaOf(adminSession)))
}
