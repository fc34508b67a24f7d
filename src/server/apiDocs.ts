import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Endpoint } from '../shared/contract.ts'
import { common, type ErrorDef } from '../shared/errors.ts'
import { say } from '../shared/text.ts'
import type { Product } from './product.ts'

const safe = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
const json = (schema: z.ZodType, io: 'input' | 'output') =>
  safe(JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), null, 2))

const style = `body{font:14px/1.6 system-ui,sans-serif;max-width:960px;margin:24px auto;padding:0 16px;color:#1a2530}h2{margin-top:32px}summary{cursor:pointer;padding:6px 0;border-bottom:1px solid #e4e8ec}
code,pre{font:12px/1.5 ui-monospace,monospace}pre{background:#f7f9fa;padding:12px;overflow:auto;max-height:360px}b{display:inline-block;width:56px;color:#0b7285}td{padding:2px 12px 2px 0}`
/** What the page may show itself with, for its policy. */
export const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`

/**
 * The contract as a page for people: no script, every endpoint unfolds to its shapes and errors.
 */
export function apiDocs(contracts: Product['contracts']): string {
  const parts = Object.entries(contracts).map(([domain, contract]) => {
    const endpoints = Object.entries(contract).map(([key, endpoint]) =>
      entry(`${domain}.${key}`, endpoint),
    )
    return `<h2 id="${domain}">${domain}</h2>${endpoints.join('')}`
  })
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Huodao API</title>
<style>${style}</style>
<h1>Huodao API</h1><p>A success is the resource itself; a failure is <code>{code, error, message, requestId, errors?}</code>. Money is integer fen, instants are ISO-8601 UTC, days are Asia/Shanghai.
The token of <code>POST /auth/login</code> goes into the <code>Authorization</code> header. The same as <a href="openapi.json">OpenAPI 3.1</a>.</p>
<table>${Object.values(common).map(error).join('')}</table>${parts.join('')}</html>`
}

const error = (def: ErrorDef) =>
  `<tr><td>${def.code}</td><td><code>${def.name}</code></td><td>${safe(say(def.text, 'en'))}</td></tr>`

function entry(name: string, endpoint: Endpoint): string {
  const errors = endpoint.errors.length
    ? `<table>${endpoint.errors.map(error).join('')}</table>`
    : ''
  return `<details><summary><b>${endpoint.method}</b> <code>${safe(endpoint.path)}</code> ${safe(endpoint.summary)}</summary>
<p><code>${name}</code> · access <code>${safe(endpoint.access)}</code>${endpoint.audit ? ` · logged as <code>${endpoint.audit}</code>` : ''}${endpoint.idempotent ? ' · takes <code>Idempotency-Key</code>' : ''}${endpoint.fresh ? ` · ${endpoint.fresh === true ? 'wants' : 'may want'} a proof of the last minutes` : ''}</p>
<p>Input</p><pre>${json(endpoint.input, 'input')}</pre><p>Answer</p><pre>${json(endpoint.output, 'output')}</pre>${errors}</details>`
}
