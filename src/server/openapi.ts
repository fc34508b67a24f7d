import { z } from 'zod'
import { type Endpoint, pathParams, takesJson } from '../shared/contract.ts'
import { common, type ErrorDef } from '../shared/errors.ts'
import { say } from '../shared/text.ts'
import { endpointsOf, type Product } from './product.ts'

type Json = Record<string, unknown>

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  }) as Json
  return json
}

/** OpenAPI 3.1 of every contract; the documentation page draws it. */
export function openApi(contracts: Product['contracts'], basePath: string): Json {
  const paths: Record<string, Json> = {}
  for (const { name, domain, endpoint } of endpointsOf(contracts)) {
    const place = paths[endpoint.path] ?? {}
    paths[endpoint.path] = place
    place[endpoint.method.toLowerCase()] = operation(name, domain, endpoint)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Huodao 货道',
      version: '1.0.0',
      description:
        'Money is integer fen, instants are ISO-8601 UTC, days are Asia/Shanghai. A success is the resource itself; a failure is `{code, error, message, requestId, errors?}`.',
    },
    servers: [{ url: basePath.replace(/\/$/, '') || '/' }],
    paths,
    components: {
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
    },
  }
}

const proofs: Readonly<Record<string, string>> = {
  true: ' Wants a proof of the last minutes (/api/session/prove).',
  sometimes: ' May want a proof of the last minutes (/api/session/prove).',
}

function operation(operationId: string, tag: string, endpoint: Endpoint): Json {
  const inPath = new Set(pathParams(endpoint.path))
  const whole = schemaOf(endpoint.input, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const names = Object.keys(whole.properties ?? {})
  const hasBody = takesJson(endpoint)
  const parameters = names
    .filter((n) => inPath.has(n) || !hasBody)
    .map((name) => ({
      name,
      in: inPath.has(name) ? 'path' : 'query',
      required: inPath.has(name) || (whole.required?.includes(name) ?? false),
      schema: whole.properties?.[name],
    }))
  const bodyNames = names.filter((n) => hasBody && !inPath.has(n))
  return {
    operationId,
    tags: [tag],
    summary: endpoint.summary,
    description: `Access: ${endpoint.access}.${endpoint.idempotent ? ' Takes Idempotency-Key.' : ''}${proofs[String(endpoint.fresh)] ?? ''}`,
    ...(endpoint.access === 'open' ? {} : { security: [{ token: [] }] }),
    parameters: endpoint.idempotent
      ? [
          ...parameters,
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            schema: { type: 'string', maxLength: 255 },
          },
        ]
      : parameters,
    ...(endpoint.upload
      ? {
          requestBody: {
            required: true,
            content: {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  properties: { file: { type: 'string', format: 'binary' } },
                  required: ['file'],
                },
              },
            },
          },
        }
      : {}),
    ...(bodyNames.length
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  additionalProperties: false,
                  properties: Object.fromEntries(bodyNames.map((n) => [n, whole.properties?.[n]])),
                  required: whole.required?.filter((n) => bodyNames.includes(n)) ?? [],
                },
              },
            },
          },
        }
      : {}),
    responses: {
      200: {
        description: 'OK',
        content: { 'application/json': { schema: schemaOf(endpoint.output, 'output') } },
      },
      ...failures(endpoint),
    },
  }
}

function failures(endpoint: Endpoint): Json {
  const own: ErrorDef[] = [
    common.invalid,
    ...(endpoint.access === 'open' ? [] : [common.tokenAbsent]),
    ...(endpoint.access.includes(':') ? [common.forbidden] : []),
    ...(endpoint.fresh ? [common.proofNeeded] : []),
    ...endpoint.errors,
  ]
  const byStatus = Map.groupBy(own, (def) => def.status)
  return Object.fromEntries(
    [...byStatus].map(([status, defs]) => [
      status,
      { description: defs.map((d) => `${d.code} ${d.name}: ${say(d.text, 'en')}`).join('; ') },
    ]),
  )
}
