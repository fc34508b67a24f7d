import { describe, expect, test } from 'vitest'
import { orgKinds } from '../../shared/access.ts'
import { permissions } from './permissions.ts'
import { roles } from './roles.ts'
import { accessOf, type HeldRole, isPlatformOnly, readOf, scopeAt } from './rules.ts'

const role = (code: string, dataScope: HeldRole['dataScope'], ...codes: string[]): HeldRole => ({
  code,
  dataScope,
  permissions: codes,
})

describe('what an actor may do', () => {
  test('a code counts with the scopes of the roles that hold it', () => {
    const access = accessOf(
      [
        role('ROLE_A', 'ORG_TREE', 'device:read'),
        role('ROLE_B', 'ASSIGNED_DEVICES', 'device:read', 'device:update'),
      ],
      false,
    )
    expect([...(access.get('device:read') ?? [])]).toEqual(['ORG_TREE', 'ASSIGNED_DEVICES'])
    expect([...(access.get('device:update') ?? [])]).toEqual(['ASSIGNED_DEVICES'])
  })
  test('an action without its read does nothing', () => {
    expect(accessOf([role('ROLE_A', 'ORG_TREE', 'device:update')], false).size).toBe(0)
    expect([
      ...accessOf([role('ROLE_A', 'ORG_TREE', 'user:reset-password')], false).keys(),
    ]).toEqual(['user:reset-password'])
  })
  test('codes of the platform do nothing elsewhere', () => {
    const keeper = role('ROLE_A', 'ORG_TREE', 'setting:read', 'setting:lock')
    expect(accessOf([keeper], true).has('setting:lock')).toBe(true)
    expect(accessOf([keeper], false).has('setting:lock')).toBe(false)
  })
  test('a regulator reads, within his region, whatever he is given besides', () => {
    const access = accessOf(
      [
        role('ROLE_DRUG_REGULATOR', 'REGION_DRUGS', 'device:read'),
        role('ROLE_ADMIN', 'ALL', 'device:read', 'device:delete', 'user:read'),
      ],
      true,
    )
    expect(access.has('device:delete')).toBe(false)
    expect([...(access.get('device:read') ?? [])]).toEqual(['REGION_DRUGS'])
    expect(access.has('user:read')).toBe(false)
  })
  test('the scope makes the regulator, whatever the role is called; no code of his changes anything or shows people or money', () => {
    const access = accessOf(
      [role('ROLE_C_ANY', 'REGION_DRUGS', ...permissions.map((p) => p.code))],
      true,
    )
    expect([...access.values()].every((scopes) => [...scopes].join() === 'REGION_DRUGS')).toBe(true)
    expect([...access.keys()].filter((code) => !/:(read|export)$/.test(code))).toEqual([
      'job:cancel',
      'upload:create',
    ])
    expect(
      [...access.keys()].filter((code) =>
        /^(user|role|org|complaint|ledger|withdrawal|setting|alert)/.test(code),
      ),
    ).toEqual([])
    expect(
      ['product:cost', 'order:money', 'dashboard:money', 'user:lookup'].filter((code) =>
        access.has(code),
      ),
    ).toEqual([])
  })
  test('a region is worth nothing but the own rows in the organisation of a tenant', () => {
    expect(orgKinds.filter((kind) => scopeAt('REGION_DRUGS', kind) === 'REGION_DRUGS')).toEqual([
      'PLATFORM',
      'REGULATOR',
    ])
    expect(scopeAt('REGION_DRUGS', 'AGENT')).toBe('OWN_GOODS')
    expect(scopeAt('ORG_TREE', 'AGENT')).toBe('ORG_TREE')
  })
  test('every platform code is in the catalogue or waits for its group', () => {
    const codes = new Set(permissions.map((p) => p.code))
    expect(
      [
        'ledger:adjust',
        'menu:create',
        'role:distribute',
        'apk:publish',
        'device-type:create',
      ].every((code) => codes.has(code) && isPlatformOnly(code)),
    ).toBe(true)
  })
  test('a built-in role loses nothing of what the catalogue gives it, but what belongs to the platform', () => {
    for (const builtin of roles) {
      const access = accessOf([builtin], true)
      expect(
        builtin.permissions.filter((code) => !access.has(code)),
        builtin.code,
      ).toEqual([])
    }
  })
  test('a code leans on the read of its own resource', () => {
    expect(readOf('device:update')).toBe('device:read')
    expect(readOf('device:read')).toBeNull()
    expect(readOf('upload:create')).toBeNull()
  })
})
