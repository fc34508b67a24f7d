import { defineLocale, type Locale, type Texts } from './locale.ts'
import type { Lang } from './text.ts'

/**
 * Words that mean the same in every domain. A domain names a field only where it says it otherwise.
 */
export const words = defineLocale(
  {
    fields: {
      keyword: '关键字',
      username: '用户名',
      realName: '真实姓名',
      password: '密码',
      repeat: '确认密码',
      orgId: '所属机构',
      orgName: '所属机构',
      regionName: '所在地区',
      county: '所在地区',
      lng: '经度',
      lat: '纬度',
      rtuNumber: '机器编号',
      deviceCount: '设备数',
      img: '图片',
      status: '状态',
      source: '来源',
      sort: '排序',
      remark: '备注',
      createTime: '创建时间',
      updateTime: '更新时间',
    },
  },
  {
    fields: {
      keyword: 'Keyword',
      username: 'Username',
      realName: 'Real name',
      password: 'Password',
      repeat: 'Repeat password',
      orgId: 'Organisation',
      orgName: 'Organisation',
      regionName: 'Region',
      county: 'Region',
      lng: 'Longitude',
      lat: 'Latitude',
      rtuNumber: 'Machine no.',
      deviceCount: 'Devices',
      img: 'Picture',
      status: 'Status',
      source: 'Source',
      sort: 'Order',
      remark: 'Remark',
      createTime: 'Created',
      updateTime: 'Changed',
    },
  },
)

/** The texts of one domain over the shared words, as i18next falls back in the browser. */
export function textsOver(locale: Locale | undefined, lang: Lang): Texts {
  const [own, shared]: [Texts, Texts] =
    lang === 'en' ? [locale?.en ?? {}, words.en.fields] : [locale?.zh ?? {}, words.zh.fields]
  return { ...own, fields: { ...shared, ...(own.fields as Texts | undefined) } }
}
