const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
};

module.exports = {
  testEnvironment: 'node',
  rootDir: 'src',
  transform: { '\\.[jt]s$': ['@swc/jest', swc] },
  transformIgnorePatterns: ['/node_modules/(?!nestjs-lifecycle/)'],
};
