import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    one: '设备标签',
    many: '设备标签',
    fields: { keyword: '名称', name: '名称', tone: '颜色' },
    enums: {
      tone: {
        GREY: '灰色',
        BLUE: '蓝色',
        GREEN: '绿色',
        AMBER: '琥珀色',
        RED: '红色',
        PINK: '粉色',
        VIOLET: '紫色',
        BROWN: '棕色',
      },
    },
    audit: { create: '新增设备标签', update: '编辑设备标签', remove: '删除设备标签' },
  },
  {
    one: 'device tag',
    many: 'device tags',
    fields: { keyword: 'Name', name: 'Name', tone: 'Colour' },
    enums: {
      tone: {
        GREY: 'Grey',
        BLUE: 'Blue',
        GREEN: 'Green',
        AMBER: 'Amber',
        RED: 'Red',
        PINK: 'Pink',
        VIOLET: 'Violet',
        BROWN: 'Brown',
      },
    },
    audit: {
      create: 'Added device tag',
      update: 'Edited device tag',
      remove: 'Deleted device tag',
    },
  },
)
