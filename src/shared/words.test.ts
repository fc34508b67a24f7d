import { describe, expect, it } from 'vitest'
import { defineLocale } from './locale.ts'
import { textsOver, words } from './words.ts'

const own = defineLocale(
  { fields: { orgName: '机构', storeName: '门店名称' }, audit: { create: '新增门店' } },
  { fields: { orgName: 'Owner', storeName: 'Store' }, audit: { create: 'Added store' } },
)

describe('shared words', () => {
  it('stand where a domain says nothing, in both languages', () => {
    expect(textsOver(own, 'zh-CN').fields).toMatchObject({
      storeName: '门店名称',
      createTime: '创建时间',
    })
    expect(textsOver(own, 'en').fields).toMatchObject({ storeName: 'Store', createTime: 'Created' })
    expect(textsOver(undefined, 'en').fields).toEqual(words.en.fields)
  })
  it('give way to the word of a domain, and leave its other texts alone', () => {
    expect(textsOver(own, 'zh-CN').fields).toMatchObject({ orgName: '机构' })
    expect(textsOver(own, 'en').audit).toEqual({ create: 'Added store' })
  })
  it('are each in its language', () => {
    expect(Object.values(words.zh.fields).filter((text) => !/[\u4e00-\u9fff]/.test(text))).toEqual(
      [],
    )
    expect(Object.values(words.en.fields).filter((text) => /[\u4e00-\u9fff]/.test(text))).toEqual(
      [],
    )
  })
})
