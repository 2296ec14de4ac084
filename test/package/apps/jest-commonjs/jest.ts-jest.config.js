module.exports = {
  testEnvironment: 'node',
  rootDir: 'src',
  transform: {
    '\\.ts$': 'ts-jest',
    'node_modules/nestjs-lifecycle/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!nestjs-lifecycle/)'],
};
