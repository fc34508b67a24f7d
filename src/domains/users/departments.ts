import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

export const departmentErrors = defineErrors('users', {
  departmentNameTaken: [409004, '部门名称已存在', 'This department exists already'],
  departmentHasUsers: [
    409003,
    '部门下仍有用户，无法删除',
    'There are still users in this department',
  ],
  departmentHasChildren: [409003, '请先删除下级部门', 'Delete the departments below first'],
  departmentTooDeep: [422001, '部门最多5级', 'Departments have at most five levels'],
  departmentInItself: [
    422001,
    '不能移动到自己或下级部门',
    'A department cannot stand below itself',
  ],
})

export const departmentLevels = 5
export const mostDepartments = 500
const sort = z.number().int().min(0).max(9999).default(0)
const name = f.text(30, bi('部门名称不能为空', 'Enter the name of the department'))
const parentId = f.id.nullable().default(null)

export const DepartmentRow = z.strictObject({
  id: f.id,
  parentId: f.id.nullable(),
  name: z.string(),
  sort: z.number().int(),
  /** Users in it, without those of departments below. */
  userCount: z.number().int().min(0),
  version: f.version,
})
export type DepartmentRow = z.infer<typeof DepartmentRow>

const errors = [departmentErrors.departmentNameTaken, departmentErrors.departmentTooDeep] as const

export const departmentEndpoints = {
  departments: read('department:read', {
    path: '/departments',
    summary: 'Departments of one organisation, the own one unless told; parents before children',
    input: z.strictObject({ orgId: f.id.optional() }),
    output: z.strictObject({
      list: z.array(DepartmentRow).max(mostDepartments),
      can: z.strictObject({ update: z.boolean() }),
    }),
  }),
  createDepartment: write('department:update', {
    path: '/departments',
    summary: 'Add a department',
    audit: 'users.createDepartment',
    errors: [...errors],
    input: z.strictObject({ orgId: f.id.optional(), parentId, name, sort }),
    output: z.strictObject({ id: f.id }),
  }),
  updateDepartment: write('department:update', {
    method: 'PUT',
    path: '/departments/{id}',
    summary: 'Rename or move a department within its organisation',
    audit: 'users.updateDepartment',
    errors: [...errors, departmentErrors.departmentInItself],
    input: z.strictObject({ id: f.id, version: f.version, parentId, name, sort }),
    output: f.done,
  }),
  removeDepartment: write('department:update', {
    method: 'DELETE',
    path: '/departments/{id}',
    summary: 'Delete a department without users and departments below',
    audit: 'users.removeDepartment',
    errors: [departmentErrors.departmentHasUsers, departmentErrors.departmentHasChildren],
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
}
